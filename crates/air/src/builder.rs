//! The recorder that [`crate::Air::define`] writes into.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;
use core::cell::RefCell;

use field::PrimeField;
use gpu_hal::{Protocol, RunningKind};

use crate::declared::{AuxDefinition, Declared};
use crate::expression::Expression;
use crate::{AirError, Boundary, Column, Expr, Layout, Periodic, Rows, Scan};

/// Collects the constraints of an AIR. Methods take `&self`, so that expressions are plain `Copy` values; the first
/// wrong use is kept and returned by [`crate::record`].
///
/// `X(d)` is column X `d` rows below the row that a constraint is placed on, cyclically, `d < R`.
#[derive(Debug)]
pub struct AirBuilder<P: Protocol> {
    layout: Layout,
    rows: usize,
    declared: RefCell<Declared<P>>,
}

impl<P: Protocol> AirBuilder<P> {
    pub(crate) fn new(layout: Layout, rows: usize) -> Self {
        Self { layout, rows, declared: RefCell::new(Declared::new()) }
    }

    pub(crate) fn finish(self) -> Result<Declared<P>, AirError> {
        self.declared.into_inner().finish()
    }

    /// Main column `column` at row offset `offset`.
    pub fn main(&self, column: usize, offset: usize) -> Expr<'_, P> {
        let ok = self.check_column(Column::Main(column)) && self.check_offset(offset);
        self.push_if(ok, Expression::Main { column, offset })
    }

    /// Auxiliary column `column` at row offset `offset`.
    pub fn aux(&self, column: usize, offset: usize) -> Expr<'_, P> {
        let ok = self.check_column(Column::Aux(column)) && self.check_offset(offset);
        self.push_if(ok, Expression::Aux { column, offset })
    }

    /// Random challenge `index`.
    pub fn challenge(&self, index: usize) -> Expr<'_, P> {
        let challenges = self.layout.challenges;
        let ok = self.require(index < challenges, || AirError::Challenge { challenge: index, challenges });
        self.push_if(ok, Expression::Challenge(index))
    }

    /// A base constant.
    pub fn constant(&self, value: P::Base) -> Expr<'_, P> {
        self.push(Expression::Base(value))
    }

    /// An extension constant.
    pub fn constant_ext(&self, value: P::Ext) -> Expr<'_, P> {
        self.push(Expression::Ext(value))
    }

    /// An integer constant, modulo the characteristic.
    pub fn number(&self, value: u64) -> Expr<'_, P> {
        self.constant(P::Base::from_u64(value))
    }

    /// A column that repeats these values, a power of two of them, at most as many as rows: row `i` has value
    /// `i mod length`.
    pub fn periodic(&self, values: &[P::Base]) -> Periodic {
        let (length, rows) = (values.len(), self.rows);
        self.require(length.is_power_of_two() && length <= rows, || AirError::PeriodicLength { length, rows });
        let mut declared = self.declared.borrow_mut();
        declared.periodic.push(values.to_vec());
        Periodic(declared.periodic.len() - 1)
    }

    /// A periodic column at row offset `offset`.
    pub fn periodic_at(&self, periodic: Periodic, offset: usize) -> Expr<'_, P> {
        let (index, declared) = (periodic.0, self.declared.borrow().periodic.len());
        let ok = self.require(index < declared, || AirError::Periodic { index, declared }) && self.check_offset(offset);
        self.push_if(ok, Expression::Periodic { index, offset })
    }

    /// Calls `declare`. The transitions, boundaries and auxiliary columns that it declares have this name where
    /// [`crate::check_trace`] speaks of them; inside another scope, `outer/inner`. Names are no part of the statement:
    /// no digest and no proof depends on them.
    pub fn named<T>(&self, name: &str, declare: impl FnOnce() -> T) -> T {
        self.declared.borrow_mut().scopes.push(name.to_owned());
        let declared = declare();
        self.declared.borrow_mut().scopes.pop();
        declared
    }

    /// Gives a name to a main column, as [`Self::named`] does to a declaration.
    pub fn name_main(&self, column: usize, name: &str) {
        if self.check_column(Column::Main(column)) {
            let names = &mut self.declared.borrow_mut().names.main;
            names.resize(names.len().max(column + 1), None);
            names[column] = Some(name.to_owned());
        }
    }

    /// The expression is zero on every one of `rows`.
    pub fn transition(&self, expr: Expr<'_, P>, rows: Rows) {
        if let Err(reason) = rows.validate(self.rows) {
            let error = AirError::Rows { rows, reason };
            self.fail(error);
        }
        let mut declared = self.declared.borrow_mut();
        declared.transitions.push((expr.index, rows));
        let name = declared.name();
        declared.names.transitions.push(name);
    }

    /// The cell has this value.
    pub fn boundary(&self, column: Column, row: usize, value: P::Base) {
        self.add_boundary(Boundary::constant(column, row, value));
    }

    /// The cell has the value that the function gives for the challenges. All else that it depends on must be in
    /// [`crate::Air::public_inputs`]: nothing binds the transcript to it otherwise.
    pub fn boundary_with(
        &self,
        column: Column,
        row: usize,
        value: impl Fn(&[P::Ext]) -> P::Ext + Send + Sync + 'static,
    ) {
        self.add_boundary(Boundary::computed(column, row, Arc::new(value)));
    }

    /// Declares the next auxiliary column: the running product of `numerator / denominator`, where a ratio with
    /// denominator zero counts as zero. They may read main and periodic columns and challenges. Returns the column.
    pub fn running_product(&self, numerator: Expr<'_, P>, denominator: Expr<'_, P>, scan: Scan) -> Column {
        self.running(RunningKind::Product, numerator, denominator, scan)
    }

    /// Declares the next auxiliary column: the running sum of the fractions (numerator, denominator). They are combined
    /// into one, `a/b + c/d = (a d + c b)/(b d)`, so if one denominator is zero on a row all fractions of that row
    /// count as zero. They may read main and periodic columns and challenges. Returns the column.
    pub fn running_sum<'e>(&'e self, fractions: &[(Expr<'e, P>, Expr<'e, P>)], scan: Scan) -> Column {
        let mut fractions = fractions.iter().copied();
        let first = fractions.next().unwrap_or_else(|| (self.number(0), self.number(1)));
        let (numerator, denominator) = fractions.fold(first, |(a, b), (c, d)| (a * d + c * b, b * d));
        self.running(RunningKind::Sum, numerator, denominator, scan)
    }

    /// Declares the next auxiliary column: one that [`crate::Air::host_columns`] computes. Returns the column.
    pub fn host_column(&self) -> Column {
        self.add_aux(AuxDefinition::Host)
    }

    fn running(&self, kind: RunningKind, numerator: Expr<'_, P>, denominator: Expr<'_, P>, scan: Scan) -> Column {
        let (numerator, denominator) = (numerator.index, denominator.index);
        let (aux, column) = {
            let declared = self.declared.borrow();
            let reads = |index: u32| declared.reads_aux.get(index as usize).copied().unwrap_or(false);
            (reads(numerator) || reads(denominator), declared.aux.len())
        };
        self.require(!aux, || AirError::AuxInRunning { column });
        self.add_aux(AuxDefinition::Running { kind, scan, numerator, denominator })
    }

    fn add_aux(&self, definition: AuxDefinition) -> Column {
        let mut declared = self.declared.borrow_mut();
        declared.aux.push(definition);
        let name = declared.name();
        declared.names.aux.push(name);
        Column::Aux(declared.aux.len() - 1)
    }

    fn add_boundary(&self, boundary: Boundary<P>) {
        self.check_column(boundary.column());
        let (row, rows) = (boundary.row(), self.rows);
        self.require(row < rows, || AirError::BoundaryRow { row, rows });
        let mut declared = self.declared.borrow_mut();
        declared.boundaries.push(boundary);
        let name = declared.name();
        declared.names.boundaries.push(name);
    }

    fn check_column(&self, column: Column) -> bool {
        let (kind, column, columns) = match column {
            Column::Main(column) => ("main", column, self.layout.main_columns),
            Column::Aux(column) => ("auxiliary", column, self.layout.aux_columns),
        };
        self.require(column < columns, || AirError::Column { kind, column, columns })
    }

    fn check_offset(&self, offset: usize) -> bool {
        let frame_rows = self.layout.frame_rows;
        self.require(offset < frame_rows, || AirError::Offset { offset, frame_rows })
    }

    pub(crate) fn push(&self, expression: Expression<P>) -> Expr<'_, P> {
        Expr::new(&self.declared, expression)
    }

    /// A wrong expression is replaced by zero: the recorded error is the result.
    fn push_if(&self, ok: bool, expression: Expression<P>) -> Expr<'_, P> {
        if ok { self.push(expression) } else { self.number(0) }
    }

    fn require(&self, condition: bool, error: impl FnOnce() -> AirError) -> bool {
        if !condition {
            self.fail(error());
        }
        condition
    }

    pub(crate) fn fail(&self, error: AirError) {
        self.declared.borrow_mut().fail(error);
    }
}
