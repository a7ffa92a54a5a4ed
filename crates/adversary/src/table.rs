//! A table with the constraints that it satisfies: the common part of both protocols.

use std::borrow::Borrow;

use air::Rows;
use field::PrimeField;

use crate::draw::Draw;
use crate::expression::{Expression, Leaf};

/// A protocol's limits on a constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Highest degree, a cell counting 1.
    pub(crate) degree: usize,
    /// Degree that a constraint loses if it does not hold on all rows.
    pub(crate) selector: usize,
    /// Most rows that a constraint may read of a column; at least 2.
    pub(crate) frame: usize,
    /// Most rows that it may read of a known column.
    pub(crate) known_frame: usize,
}

impl Rules {
    /// Highest degree of an expression on these rows.
    pub(crate) fn degree_on(&self, rows: Rows) -> usize {
        if rows == Rows::all() { self.degree } else { self.degree - self.selector }
    }
}

/// An expression that is zero on some rows.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) expression: Expression,
    pub(crate) rows: Rows,
}

/// Columns in row order, and the constraints that hold.
#[derive(Clone, Debug)]
pub(crate) struct Table<F> {
    pub(crate) log_rows: u32,
    /// Rows that constraints read.
    pub(crate) frame: usize,
    pub(crate) columns: Vec<Vec<F>>,
    /// Rows that constraints read of known columns.
    pub(crate) known_frame: usize,
    /// Columns that prover and verifier know, each of a power of two of values, which repeat.
    pub(crate) known: Vec<Vec<F>>,
    pub(crate) rules: Vec<Rule>,
    /// Columns of which a rule fixes cells.
    pub(crate) fixed: Vec<usize>,
}

impl<F: PrimeField> Table<F> {
    /// A table of `1..=most` columns.
    pub(crate) fn draw(draw: &mut Draw, log_rows: u32, most: usize, rules: Rules) -> Self {
        let (frame, known_frame) = (draw.between(2, rules.frame), rules.known_frame);
        let mut table =
            Self { log_rows, frame, known_frame, columns: vec![], known: vec![], rules: vec![], fixed: vec![] };
        for _ in 0..draw.below(3) {
            let length = 1 << draw.below(log_rows as usize + 1);
            table.known.push(draw.elements(length));
        }
        for _ in 0..draw.between(1, most) {
            table.add_column(draw, rules);
        }
        if table.rules.is_empty() {
            table.add_recurrence(draw, rules);
        }
        for _ in 0..draw.below(3) {
            table.add_consequence(draw, rules);
        }
        table
    }

    pub(crate) fn rows(&self) -> usize {
        1 << self.log_rows
    }

    /// Adds columns; returns their numbers.
    pub(crate) fn append(&mut self, columns: Vec<Vec<F>>) -> Vec<usize> {
        let first = self.columns.len();
        self.columns.extend(columns);
        (first..self.columns.len()).collect()
    }

    /// A leaf on a row.
    pub(crate) fn read(&self, row: usize, leaf: Leaf) -> F {
        match leaf {
            Leaf::Cell { column, offset } => self.columns[column][(row + offset) % self.rows()],
            Leaf::Known { index, offset } => {
                let values = &self.known[index];
                values[(row + offset) % values.len()]
            }
            Leaf::Constant(value) => F::from_u64(value),
        }
    }

    pub(crate) fn evaluate(&self, expression: &Expression, row: usize) -> F {
        expression.evaluate(&|leaf| self.read(row, leaf))
    }

    /// (rule, row) of all that is not zero where it must be, in order.
    pub(crate) fn violated(&self) -> Vec<(usize, usize)> {
        self.violated_of(self.rules.iter())
    }

    /// The same of other rules.
    pub(crate) fn violated_of(&self, rules: impl Iterator<Item = impl Borrow<Rule>>) -> Vec<(usize, usize)> {
        let n = self.rows();
        let mut violated = Vec::new();
        for (index, rule) in rules.enumerate() {
            let Rule { expression, rows } = rule.borrow();
            let is_wrong = |&row: &usize| rows.contains(row, n) && !self.evaluate(expression, row).is_zero();
            violated.extend((0..n).filter(is_wrong).map(|row| (index, row)));
        }
        violated
    }
}
