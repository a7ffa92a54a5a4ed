//! Row programs with their inputs on the host.

use field::PrimeField;
use gpu_hal::{Columns, DeferredFault, Protocol, Result, RowProgram, RowRun, RowsOutput, StarkBackend};

use crate::Random;

/// A table on the host.
#[derive(Clone, Debug)]
pub struct HostTable<F> {
    /// The elements, column after column.
    pub elements: Vec<F>,
    /// Number of columns.
    pub width: usize,
    /// Log2 of the number of rows.
    pub log_height: u32,
}

impl<F: PrimeField> HostTable<F> {
    /// A table whose elements are words.
    pub fn of_words(random: &mut Random, width: usize, log_height: u32) -> Self {
        let elements = (0..width << log_height).map(|_| F::from_u64(u64::from(edge_word(random)))).collect();
        Self { elements, width, log_height }
    }

    fn upload<B: StarkBackend>(&self, backend: &B) -> Result<Columns<B::Buffer>>
    where
        B::P: Protocol<Base = F>,
    {
        backend.upload(&self.elements, self.width, self.log_height)
    }
}

/// A row program and its inputs, on the host.
#[derive(Clone, Debug)]
pub struct RowCase<F> {
    /// The program.
    pub program: RowProgram<F>,
    /// The parts of the source.
    pub source: Vec<HostTable<F>>,
    /// A row beyond the entries is about entry `row mod period`.
    pub period: usize,
    /// The tables.
    pub tables: Vec<HostTable<F>>,
    /// The counters before the run.
    pub counters: Vec<HostTable<F>>,
    /// Log2 of the number of rows.
    pub log_height: u32,
}

/// The result of a run, and the counters after it.
pub type RowResult<B> = (RowsOutput<<B as StarkBackend>::T>, Vec<Columns<<B as StarkBackend>::Buffer>>);

impl<F: PrimeField> RowCase<F> {
    /// Uploads everything and runs the program.
    pub fn run<B: StarkBackend>(&self, backend: &B) -> Result<RowResult<B>>
    where
        B::P: Protocol<Base = F>,
    {
        self.run_by(backend, |args, counters| backend.rows(args, counters))
    }

    /// As [`Self::run`], without waiting for it.
    pub fn run_ahead<B: StarkBackend>(&self, backend: &B, verdict: &mut DeferredFault) -> Result<RowResult<B>>
    where
        B::P: Protocol<Base = F>,
    {
        self.run_by(backend, |args, counters| backend.rows_ahead(args, counters, verdict))
    }

    fn run_by<B: StarkBackend>(
        &self,
        backend: &B,
        run: impl FnOnce(&RowRun<'_, B::T>, &mut [Columns<&mut B::Buffer>]) -> Result<RowsOutput<B::T>>,
    ) -> Result<RowResult<B>>
    where
        B::P: Protocol<Base = F>,
    {
        let upload =
            |tables: &[HostTable<F>]| tables.iter().map(|table| table.upload(backend)).collect::<Result<Vec<_>>>();
        let (source, tables, mut counters) = (upload(&self.source)?, upload(&self.tables)?, upload(&self.counters)?);
        let source: Vec<_> = source.iter().map(Columns::as_ref).collect();
        let tables: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let (program, period, log_height) = (&self.program, self.period, self.log_height);
        let args = RowRun { program, source: &source, period, tables: &tables, log_height };
        let mut counted: Vec<_> = counters.iter_mut().map(Columns::as_mut).collect();
        let made = run(&args, &mut counted)?;
        Ok((made, counters))
    }
}

/// A word: often one at which arithmetic goes wrong.
pub(crate) fn edge_word(random: &mut Random) -> u32 {
    match random.below(12) {
        0 => 0,
        1 => 1,
        2 => u32::MAX,
        3 => 1 << 31,
        4 => (1 << 31) - 1,
        5 => random.below(40) as u32,
        6 => u32::MAX - random.below(40) as u32,
        _ => random.word() as u32,
    }
}
