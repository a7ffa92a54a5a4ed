//! Statements that tests of several crates make of shipped AIRs.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_air::{AirComponent, ClaimedSumError, ConfigError, Mixes, PreprocessedColumn, Statement, TableProgram};
use field::circle::coset_row_to_storage;
use field::{M31, QM31};
use gpu_hal::{EvalOrder, LinearRecurrence};

/// A change of an AIR's programs.
type Change<T> = Box<dyn Fn(&mut T) + Send + Sync>;

/// A statement that says of a shipped AIR something else than the AIR does. It tells devices nothing of how columns are
/// made, unless [`Changed::with_programs`] or [`Changed::with_trace_program`] do.
pub struct Changed {
    air: Arc<dyn ShippedAir>,
    order: EvalOrder,
    words: Vec<u32>,
    mixes: Option<Mixes>,
    work: u32,
    has_columns: bool,
    unread: Vec<(PreprocessedColumn, Vec<M31>)>,
    samples_all: bool,
    values: Option<Change<Vec<Vec<M31>>>>,
    programs: Option<Change<Vec<LinearRecurrence<M31>>>>,
    trace_program: Option<Change<Vec<TableProgram>>>,
}

impl Changed {
    /// Nothing else yet.
    #[must_use]
    pub fn new(air: Arc<dyn ShippedAir>) -> Self {
        Self {
            order: EvalOrder::Row,
            words: air.words(),
            mixes: None,
            work: 0,
            has_columns: true,
            unread: Vec::new(),
            samples_all: false,
            values: None,
            programs: None,
            trace_program: None,
            air,
        }
    }

    /// Columns are given in this order.
    #[must_use]
    pub fn in_order(self, order: EvalOrder) -> Self {
        Self { order, ..self }
    }

    /// It has other words.
    #[must_use]
    pub fn with_words(self, words: Vec<u32>) -> Self {
        Self { words, ..self }
    }

    /// It mixes this, and not its words.
    #[must_use]
    pub fn with_mixes(self, mixes: Mixes) -> Self {
        Self { mixes: Some(mixes), ..self }
    }

    /// It asks for this many bits of work before the elements are drawn.
    #[must_use]
    pub fn with_work(self, work: u32) -> Self {
        Self { work, ..self }
    }

    /// It has no preprocessed columns, though components may read some.
    #[must_use]
    pub fn without_columns(self) -> Self {
        Self { has_columns: false, ..self }
    }

    /// It has further preprocessed columns, which no component reads, with these values in the order of the rows.
    #[must_use]
    pub fn with_unread(self, unread: Vec<(PreprocessedColumn, Vec<M31>)>) -> Self {
        Self { unread, ..self }
    }

    /// It samples all preprocessed columns, or those alone that are read.
    #[must_use]
    pub fn sampling_all(self, samples_all: bool) -> Self {
        Self { samples_all, ..self }
    }

    /// Its preprocessed columns have other values; `change` gets them in the order of the rows.
    #[must_use]
    pub fn with_values(self, change: impl Fn(&mut Vec<Vec<M31>>) + Send + Sync + 'static) -> Self {
        Self { values: Some(Box::new(change)), ..self }
    }

    /// Devices make the preprocessed columns by the AIR's programs after `change`.
    #[must_use]
    pub fn with_programs(self, change: impl Fn(&mut Vec<LinearRecurrence<M31>>) + Send + Sync + 'static) -> Self {
        Self { programs: Some(Box::new(change)), ..self }
    }

    /// Devices make the trace by the AIR's programs after `change`.
    #[must_use]
    pub fn with_trace_program(self, change: impl Fn(&mut Vec<TableProgram>) + Send + Sync + 'static) -> Self {
        Self { trace_program: Some(Box::new(change)), ..self }
    }

    /// The AIR's honest trace, in the order in which columns are given.
    #[must_use]
    pub fn trace(&self) -> Vec<Vec<Vec<M31>>> {
        self.air.trace().into_iter().map(|table| self.ordered(table)).collect()
    }

    fn ordered(&self, columns: Vec<Vec<M31>>) -> Vec<Vec<M31>> {
        match self.order {
            EvalOrder::Row => columns,
            EvalOrder::Storage => stored(&columns),
        }
    }
}

/// Columns in the order of the rows, in storage order.
#[must_use]
pub fn stored(columns: &[Vec<M31>]) -> Vec<Vec<M31>> {
    let of = |column: &Vec<M31>| {
        let mut values = column.clone();
        for (row, value) in column.iter().enumerate() {
            values[coset_row_to_storage(row, column.len().ilog2())] = *value;
        }
        values
    };
    columns.iter().map(of).collect()
}

impl Statement for Changed {
    fn name(&self) -> &str {
        self.air.name()
    }

    fn words(&self) -> Vec<u32> {
        self.words.clone()
    }

    fn mixes(&self) -> Mixes {
        self.mixes.clone().unwrap_or_else(|| Mixes::words(self.words()))
    }

    fn interaction_pow_bits(&self) -> u32 {
        self.work
    }

    fn order(&self) -> EvalOrder {
        self.order
    }

    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let mut columns = if self.has_columns { self.air.preprocessed(lifting) } else { Vec::new() };
        columns.extend(self.unread.iter().map(|(column, _)| column.clone()));
        columns
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let mut values = if self.has_columns { self.air.preprocessed_values(lifting) } else { Vec::new() };
        values.extend(self.unread.iter().map(|(_, values)| values.clone()));
        if let Some(change) = &self.values {
            change(&mut values);
        }
        self.ordered(values)
    }

    fn samples_all_preprocessed(&self) -> bool {
        self.samples_all
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        let change = self.programs.as_ref()?;
        let mut programs = self.air.preprocessed_program(lifting)?;
        change(&mut programs);
        Some(programs)
    }

    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let change = self.trace_program.as_ref()?;
        let mut programs = self.air.trace_program()?;
        change(&mut programs);
        Some(programs)
    }

    fn draws(&self) -> usize {
        self.air.draws()
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        self.air.components(drawn)
    }

    fn check_claimed_sums(&self, drawn: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        self.air.check_claimed_sums(drawn, sums)
    }

    fn check_config(&self, log_blowup: u32, lifting: Option<u32>) -> Result<(), ConfigError> {
        self.air.check_config(log_blowup, lifting)
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.air.variant()
    }
}
