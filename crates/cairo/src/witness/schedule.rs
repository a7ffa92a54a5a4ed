//! The order in which components are made: callers before their callees, memory after all that use it, fixed tables
//! last.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use cairo_run::{Run, State};
use field::M31;
use gpu_hal::{
    CircleStark, Columns, ErrorKind, HalError, LinearRecurrence, Operation, RowRun, RowsOutput, Shape, StarkBackend,
    Verdict,
};
use prover_core::Stage;
use prover_core::circle::{ProveError, TraceMaker};
use rayon::prelude::*;

use super::components::Rows;
use super::error::WitnessError;
use super::machine::{ComponentProgram, Counter, List, Table};
use super::requests::Requests;
use super::size::Size;
use super::sizes::Sizes;
use super::tables::Elements;
use super::{constants, tables};
use crate::preprocessed::Variant;
use crate::version::AirVersion;

/// Makes the main columns of a run's components on a backend.
///
/// The run is owned, borrowed or shared: `I` is a `Run`, a reference or an `Arc` to one.
#[derive(Debug)]
pub struct Witness<I> {
    input: I,
    sizes: Sizes,
    /// By component; `None` for a fixed table.
    programs: Vec<Option<&'static ComponentProgram>>,
    public_memory: Option<&'static ComponentProgram>,
}

impl<I: Borrow<Run>> Witness<I> {
    /// Counts the rows of a run, to be proven with a set of preprocessed columns, and records the programs of its
    /// components.
    ///
    /// # Errors
    /// A run that is malformed or too large for the columns.
    pub fn new<V: AirVersion>(input: I, variant: Variant) -> Result<Self, WitnessError> {
        let sizes = Sizes::new::<V>(input.borrow(), variant)?;
        let record = |size: &Size| {
            let component = size.component.name;
            let program = size.component.program.map(|recorded| recorded().as_ref());
            program.transpose().map_err(|error| WitnessError::Program { component, error: error.clone() })
        };
        let programs = sizes.components().par_iter().map(record).collect::<Result<_, _>>()?;
        let public_memory = sizes.public_memory().map(record).transpose()?.flatten();
        Ok(Self { input, sizes, programs, public_memory })
    }

    /// The run.
    pub fn input(&self) -> &Run {
        self.input.borrow()
    }

    /// The components, and how many rows they have.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// A table for each component, in order, made in a proof (`OnDevice::Proof`) or its rehearsal.
    ///
    /// # Errors
    /// [`WitnessError::Rows`] if the run is not one of the Cairo machine; the backend's errors.
    pub fn tables<B: StarkBackend<P = CircleStark>>(
        &self,
        stage: impl Stage<B>,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, WitnessError> {
        let mut verdict = Verdict::default();
        let tables = self.make_tables(stage, backend, Some(&mut verdict))?;
        if !backend.had_fault(&verdict)? {
            return Ok(tables);
        }
        drop(tables);
        // One program after the other, to say which row of which it is.
        self.make_tables(stage, backend, None)?;
        let detail = "a row was refused, but none has a fault: the device is at fault";
        Err(HalError::new(ErrorKind::Backend, Operation::Rows, detail).into())
    }

    /// With a verdict programs are not waited for, and it knows of faults.
    fn make_tables<B: StarkBackend<P = CircleStark>>(
        &self,
        stage: impl Stage<B>,
        backend: &B,
        verdict: Option<&mut Verdict>,
    ) -> Result<Vec<Columns<B::Buffer>>, WitnessError> {
        let mut made = Generator {
            verdict,
            input: self.input.borrow(),
            variant: self.sizes.variant(),
            stage,
            backend,
            tables: BTreeMap::new(),
            counters: BTreeMap::new(),
            lists: BTreeMap::new(),
        };
        if let Some((size, program)) = self.sizes.public_memory().zip(self.public_memory) {
            made.rows(size, program)?;
        }
        let components = || self.sizes.components().iter().zip(&self.programs);
        let rows = components().enumerate().map(|(index, (size, program))| {
            let columns = program.map(|program| made.rows(size, program)).transpose()?;
            made.drop_unread(&self.programs[index + 1..]);
            Ok(columns)
        });
        let rows = rows.collect::<Result<Vec<_>, WitnessError>>()?;
        let table = |((size, _), columns): ((&Size, _), Option<_>)| match (columns, size.component.rows) {
            (Some(columns), _) => Ok(columns),
            (None, Rows::Table(counter, _)) => made.counter(counter),
            (None, _) => unreachable!("a component without a program is a fixed table"),
        };
        components().zip(rows).map(table).collect()
    }
}

impl<I: Borrow<Run> + Send + Sync> TraceMaker for Witness<I> {
    fn make<B: StarkBackend<P = CircleStark>, S: Stage<B>>(
        &self,
        stage: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.tables(stage, backend).map_err(|error| match error {
            WitnessError::Hal(error) => error.into(),
            error => ProveError::Trace(Box::new(error)),
        })
    }

    /// The version; the preprocessed columns; log2 of the rows of the tables of memory and of the public memory; the
    /// components and log2 of their rows.
    fn shape(&self) -> Option<Vec<u64>> {
        let (input, sizes) = (self.input(), &self.sizes);
        let memory = [tables::log_addresses(input), tables::log_big(input), tables::log_small(input)].map(u64::from);
        let components = sizes.components().iter().flat_map(|size| [size.number as u64, size.log_size.into()]);
        // No component has no rows.
        let public = sizes.public_memory().map_or(u64::MAX, |size| size.log_size.into());
        let version = sizes.version().bytes().map(u64::from);
        Some(version.chain([sizes.variant() as u64, public]).chain(memory).chain(components).collect())
    }
}

/// Generates the witness: the tables and counters that the backend holds between components.
struct Generator<'a, B: StarkBackend<P = CircleStark>, S> {
    input: &'a Run,
    variant: Variant,
    stage: S,
    backend: &'a B,
    verdict: Option<&'a mut Verdict>,
    tables: BTreeMap<Table, Columns<B::Buffer>>,
    counters: BTreeMap<Counter, Columns<B::Buffer>>,
    /// Entries that callers have handed to later components, part after part.
    lists: BTreeMap<List, Vec<Columns<B::Buffer>>>,
}

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Generator<'_, B, S> {
    /// The columns of a component that has a program.
    fn rows(&mut self, size: &Size, program: &ComponentProgram) -> Result<Columns<B::Buffer>, WitnessError> {
        let component = size.component.name;
        let source = self.source(size)?;
        for table in &program.tables {
            self.prepare(*table, size)?;
        }
        // Counters that the program counts are taken out, so that the ones that it reads can be borrowed beside them.
        let mut counted = program
            .counters
            .iter()
            .map(|counter| Ok((*counter, self.counter(*counter)?)))
            .collect::<Result<Vec<_>, WitnessError>>()?;
        let table = |table: &Table| match tables::uses_of(*table) {
            Some(counter) => self.counters.get(&counter).map(Columns::as_ref),
            None => self.tables.get(table).map(Columns::as_ref),
        };
        let read: Vec<_> = program.tables.iter().filter_map(table).collect();
        let parts: Vec<_> = source.iter().map(Columns::as_ref).collect();
        let run = RowRun {
            program: &program.program,
            source: &parts,
            period: size.period,
            tables: &read,
            log_height: size.log_size,
        };
        let mut counters: Vec<_> = counted.iter_mut().map(|(_, counter)| counter.as_mut()).collect();
        let made = match &mut self.verdict {
            Some(verdict) => self.backend.rows_ahead(&run, &mut counters, verdict),
            None => self.backend.rows(&run, &mut counters),
        };
        let RowsOutput { lists, columns } = made.map_err(|error| match error.kind {
            ErrorKind::InvalidArgument => WitnessError::Rows { component, error },
            _ => error.into(),
        })?;
        self.counters.extend(counted);
        for (list, part) in program.lists.iter().zip(lists) {
            self.lists.entry(*list).or_default().push(part);
        }
        Ok(columns)
    }

    /// The parts of a component's source.
    fn source(&mut self, size: &Size) -> Result<Vec<Columns<B::Buffer>>, WitnessError> {
        let by_opcode = &self.input.state_transitions.casm_states_by_opcode;
        let table = |width| Columns::new((), width, size.log_size);
        let one = match (size.component.rows, &size.requests) {
            (Rows::List(list, _), _) => return Ok(self.lists.remove(&list).unwrap_or_default()),
            (Rows::States(of), _) => {
                let states = of(by_opcode);
                let value = |state: &State, value: usize| state.values()[value];
                let states = || Ok(tables::columns((states, states.first()), size.log_size, value));
                self.upload(table(3), states)?
            }
            (_, Some(requests)) => self.upload(table(requests.width() + 1), || Ok(request_columns(requests, size)))?,
            (Rows::PublicMemory, _) => {
                let addresses = || tables::public_addresses(self.input, size.log_size);
                self.upload(table(1), addresses)?
            }
            (Rows::Segment(_), _) => self.numbers(&[size.start])?,
            (Rows::Addresses, _) => self.numbers(&[size.rows(), size.entries])?,
            _ => self.numbers(&[size.start, size.entries])?,
        };
        Ok(vec![one])
    }

    /// Uploads a table; a rehearsal does not ask for the elements.
    fn upload<'d>(
        &self,
        table: Shape,
        elements: impl FnOnce() -> Result<Elements<'d>, WitnessError>,
    ) -> Result<Columns<B::Buffer>, WitnessError> {
        self.stage.upload_made(self.backend, table, elements)
    }

    /// A table of one row.
    fn numbers(&self, numbers: &[usize]) -> Result<Columns<B::Buffer>, WitnessError> {
        let elements = || Ok(tables::listed(numbers.iter().map(|number| M31::new(*number as u32)).collect::<Vec<_>>()));
        self.upload(Columns::new((), numbers.len(), 0), elements)
    }

    /// A table of zeros, which need not be uploaded where the device makes a recurrence. Widths are powers of two, so
    /// it is one column cut into pieces.
    fn zeros(&self, width: usize, log_rows: u32) -> Result<Columns<B::Buffer>, WitnessError> {
        let zero = M31::new(0);
        if !self.backend.has(Operation::Recurrence) || !width.is_power_of_two() {
            let zeros = || -> Result<Elements<'_>, _> { Ok(Box::new(move |_, out| out.fill(zero))) };
            return self.upload(Columns::new((), width, log_rows), zeros);
        }
        let log_height = log_rows + width.ilog2();
        let recurrence =
            LinearRecurrence { coefficients: vec![zero], initial: vec![zero], restarts: vec![], log_height };
        Ok(Columns::new(self.backend.recurrence(&recurrence)?.data, width, log_rows))
    }

    /// Uploads a table that is not there yet, or is the component's own.
    fn prepare(&mut self, table: Table, size: &Size) -> Result<(), WitnessError> {
        if let Some(counter) = tables::uses_of(table) {
            let uses = self.counter(counter)?;
            self.counters.insert(counter, uses);
            return Ok(());
        }
        if table == Table::Entries {
            let entries = self.numbers(&[size.entries])?;
            self.tables.insert(table, entries);
        }
        if self.tables.contains_key(&table) {
            return Ok(());
        }
        let (input, variant) = (self.input, self.variant);
        let log_rows = match table {
            Table::AddressToId => tables::log_addresses(input),
            Table::Big => tables::log_big(input),
            Table::Small => tables::log_small(input),
            constant => constants::log_rows(constant).unwrap_or(0),
        };
        let shape = Columns::new((), table.width(), log_rows);
        let uploaded = self.upload(shape, || match table {
            Table::AddressToId => tables::address_to_id(input),
            Table::Big => tables::big(input),
            Table::Small => tables::small(input),
            constant => Ok(tables::listed(constants::values(constant, variant))),
        })?;
        self.tables.insert(table, uploaded);
        Ok(())
    }

    /// Takes a counter; one that is not there yet starts with zeros.
    fn counter(&mut self, counter: Counter) -> Result<Columns<B::Buffer>, WitnessError> {
        if let Some(counter) = self.counters.remove(&counter) {
            return Ok(counter);
        }
        let (log_rows, width) = match counter.table() {
            Some((_, log_rows, width)) => (log_rows, width),
            None => (tables::log_uses(self.input, counter), 1),
        };
        self.zeros(width, log_rows)
    }

    /// Drops the lists that no later component reads.
    fn drop_unread(&mut self, to_come: &[Option<&ComponentProgram>]) {
        let is_read = |table: Table| to_come.iter().flatten().any(|program| program.tables.contains(&table));
        self.tables.retain(|table, _| is_read(*table));
        for table in [Table::AddressUses, Table::BigUses, Table::SmallUses] {
            if let Some(counter) = tables::uses_of(table).filter(|_| !is_read(table)) {
                self.counters.remove(&counter);
            }
        }
    }
}

/// Keys, then multiplicities, padded with the first key and no multiplicity.
fn request_columns<'d>(requests: &Requests, size: &Size) -> Elements<'d> {
    let padding = size.rows() - requests.len();
    let mut columns = Vec::with_capacity((requests.width() + 1) << size.log_size);
    for word in 0..requests.width() {
        columns.extend(requests.words(word).map(M31::new));
        let first = requests.words(word).next().unwrap_or(0);
        columns.extend(std::iter::repeat_n(M31::new(first), padding));
    }
    columns.extend(requests.counts().iter().map(|count| M31::new(*count)));
    columns.extend(std::iter::repeat_n(M31::new(0), padding));
    tables::listed(columns)
}
