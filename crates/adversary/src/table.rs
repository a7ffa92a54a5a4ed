//! A table with the constraints that it satisfies: what both protocols have in common.

use air::Rows;
use field::PrimeField;

use crate::draw::Draw;
use crate::expression::{Expression, Leaf};

/// What a protocol admits of a constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Highest degree, a cell counting 1.
    pub(crate) degree: usize,
    /// Degree that a constraint loses if it does not hold on all rows.
    pub(crate) selector: usize,
    /// Rows that a constraint may read.
    pub(crate) frame: usize,
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

/// Columns in row order, and what is true of them.
#[derive(Clone, Debug)]
pub(crate) struct Table<F> {
    pub(crate) log_rows: u32,
    /// Rows that constraints read.
    pub(crate) frame: usize,
    pub(crate) columns: Vec<Vec<F>>,
    /// Each of a power of two of values, which repeat.
    pub(crate) periodic: Vec<Vec<F>>,
    pub(crate) rules: Vec<Rule>,
    /// Columns of which a rule fixes cells.
    pub(crate) fixed: Vec<usize>,
}

impl<F: PrimeField> Table<F> {
    /// A table of `1..=most` columns.
    pub(crate) fn draw(draw: &mut Draw, log_rows: u32, most: usize, rules: Rules) -> Self {
        let frame = draw.between(2, rules.frame);
        let mut table = Self { log_rows, frame, columns: vec![], periodic: vec![], rules: vec![], fixed: vec![] };
        for _ in 0..draw.below(3) {
            let length = 1 << draw.below(log_rows as usize + 1);
            table.periodic.push(draw.elements(length));
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
            Leaf::Periodic { index, offset } => {
                let values = &self.periodic[index];
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
        let n = self.rows();
        let on =
            |rule: &Rule, row: usize| rule.rows.contains(row, n) && !self.evaluate(&rule.expression, row).is_zero();
        let of = |(index, rule)| (0..n).filter(move |&row| on(rule, row)).map(move |row| (index, row));
        self.rules.iter().enumerate().flat_map(of).collect()
    }
}
