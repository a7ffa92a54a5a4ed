//! Columns one by one: each is computed from an expression that was drawn before, and its constraint is the difference
//! of the two.

use air::Rows;
use field::PrimeField;

use crate::draw::Draw;
use crate::expression::{Expression, Leaf, Operator};
use crate::table::{Rule, Rules, Table};

impl<F: PrimeField> Table<F> {
    /// Adds a column of one kind or another.
    pub(crate) fn add_column(&mut self, draw: &mut Draw, rules: Rules) {
        match draw.below(8) {
            0 => self.columns.push(draw.elements(self.rows())),
            1 | 2 if !self.columns.is_empty() => self.add_map(draw, rules),
            3 => self.add_choice(draw, rules),
            _ => self.add_recurrence(draw, rules),
        }
    }

    /// `c(k) = g(c(0), .., c(k-1), columns before it)`: `k` free rows, then each from the rows above it. It does not
    /// hold where row `k` below is a row of the beginning.
    pub(crate) fn add_recurrence(&mut self, draw: &mut Draw, rules: Rules) {
        let (own, n) = (self.columns.len(), self.rows());
        let order = draw.between(1, self.frame - 1);
        let mut rows = self.some_rows(draw);
        while rows.end_exemptions() < n / rows.period()
            && rows.offset() + n - (rows.end_exemptions() + 1) * rows.period() + order >= n
        {
            rows = rows.except_last(rows.end_exemptions() + 1);
        }
        let (known, known_frame) = (self.known.len(), self.known_frame.min(order + 1));
        let leaf = move |draw: &mut Draw| match draw.below(4) {
            0 if own > 0 => Leaf::Cell { column: draw.below(own), offset: draw.between(0, order) },
            1 if known > 0 => Leaf::Known { index: draw.below(known), offset: draw.below(known_frame) },
            _ => Leaf::Cell { column: own, offset: draw.below(order) },
        };
        let next = Expression::draw(draw, rules.degree_on(rows), 3, &leaf);
        self.columns.push(draw.elements(n));
        for row in (0..n).filter(|&row| rows.contains(row, n)) {
            self.columns[own][row + order] = self.evaluate(&next, row);
        }
        self.fix(own, order, next, rows);
    }

    /// `c(0) = f(columns before it)`, around the end as well.
    fn add_map(&mut self, draw: &mut Draw, rules: Rules) {
        let (own, n, rows) = (self.columns.len(), self.rows(), self.some_rows(draw));
        let next = Expression::draw(draw, rules.degree_on(rows), 3, &self.any_leaf());
        let free: Vec<F> = draw.elements(n);
        let value = |row: usize| if rows.contains(row, n) { self.evaluate(&next, row) } else { free[row] };
        self.columns.push((0..n).map(value).collect());
        self.fix(own, 0, next, rows);
    }

    /// `(c - a)(c - b) = 0`: the witness chooses.
    fn add_choice(&mut self, draw: &mut Draw, rules: Rules) {
        let (own, n, rows) = (self.columns.len(), self.rows(), self.some_rows(draw));
        let count = draw.between(1, rules.degree_on(rows).min(3));
        let options: Vec<F> = draw.elements(count);
        let value = |row: usize| if rows.contains(row, n) { draw.of(&options) } else { draw.element() };
        self.columns.push((0..n).map(value).collect());
        let factor = |option: &F| {
            let cell = Leaf::Cell { column: own, offset: 0 };
            Expression::node(Operator::Sub, cell, Leaf::Constant(option.as_u64()))
        };
        let product = options.iter().map(factor).reduce(|left, right| Expression::node(Operator::Mul, left, right));
        self.rules.extend(product.map(|expression| Rule { expression, rows }));
        self.fixed.push(own);
    }

    /// Adds a rule that follows from the present ones: a multiple of one, or the sum of two multiples.
    pub(crate) fn add_consequence(&mut self, draw: &mut Draw, rules: Rules) {
        let first = &self.rules[draw.below(self.rules.len())];
        let rows = first.rows;
        let alike: Vec<&Rule> = self.rules.iter().filter(|rule| rule.rows == rows).collect();
        let second = draw.of(&alike);
        let mut multiple = |rule: &Rule| {
            let left = rules.degree_on(rows).saturating_sub(rule.expression.degree());
            let factor = Expression::draw(draw, left, 2, &self.any_leaf());
            Expression::node(Operator::Mul, factor, rule.expression.clone())
        };
        let expression = Expression::node(Operator::Sub, multiple(first), multiple(second));
        self.rules.push(Rule { expression, rows });
    }

    fn fix(&mut self, column: usize, offset: usize, value: Expression, rows: Rows) {
        let expression = Expression::node(Operator::Sub, Leaf::Cell { column, offset }, value);
        self.rules.push(Rule { expression, rows });
        self.fixed.push(column);
    }

    /// Cells of all columns that there are, of which there is one at least, and known values.
    fn any_leaf(&self) -> impl Fn(&mut Draw) -> Leaf + use<F> {
        let (columns, known, frame) = (self.columns.len(), self.known.len(), self.frame);
        let known_frame = self.known_frame.min(frame);
        move |draw| match draw.below(3) {
            0 if known > 0 => Leaf::Known { index: draw.below(known), offset: draw.below(known_frame) },
            _ => Leaf::Cell { column: draw.below(columns), offset: draw.below(frame) },
        }
    }

    /// All rows as often as not.
    fn some_rows(&self, draw: &mut Draw) -> Rows {
        let n = self.rows();
        let mut rows = Rows::all();
        if draw.one_in(2) {
            return rows;
        }
        if draw.one_in(3) {
            let period = 1 << draw.below(self.log_rows as usize);
            rows = rows.every(period).from(draw.below(period));
        }
        if draw.one_in(3) {
            let period = 1 << draw.between(1, self.log_rows as usize);
            rows = rows.except_every(period, draw.below(period));
        }
        // A few rows more often than half of them.
        let most = if draw.one_in(4) { n / rows.period() / 2 } else { 2 };
        rows.except_last(draw.below(most.min(n / rows.period() - 1) + 1))
    }
}
