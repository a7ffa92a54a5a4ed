//! The order in which components are made: callers before those that they call, memory after all that use it, fixed tables last.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use field::M31;
use gpu_hal::{CircleStark, Columns, ErrorKind, Operation, Recurrence, RowRun, RowsMade, Shape, StarkBackend};
use prover_core::Stage;
use prover_core::circle::{ProveError, TraceMaker};
use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_common::prover_types::cpu::CasmState;

use super::components::Rows;
use super::error::WitnessError;
use super::machine::{ComponentProgram, Counter, List, Table};
use super::requests::Requests;
use super::sizes::{Size, Sizes};
use super::{constants, tables};
use crate::preprocessed::Variant;

/// Brings tables to a backend.
pub trait Uploads<B: StarkBackend<P = CircleStark>> {
    /// A table of this shape. A rehearsal does not ask for the data.
    ///
    /// # Errors
    /// Those of the data; what the backend reports.
    fn upload<'d>(
        &self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [M31]>, WitnessError>,
    ) -> Result<Columns<B::Buffer>, WitnessError>;
}

/// Uploads what it is given.
#[derive(Clone, Copy, Debug)]
pub struct Live;

impl<B: StarkBackend<P = CircleStark>> Uploads<B> for Live {
    fn upload<'d>(
        &self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [M31]>, WitnessError>,
    ) -> Result<Columns<B::Buffer>, WitnessError> {
        Ok(backend.upload(&data()?, table.width, table.log_height)?)
    }
}

/// As a prover or a rehearsal uploads.
struct Staged<S>(S);

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Uploads<B> for Staged<S> {
    fn upload<'d>(
        &self,
        backend: &B,
        table: Shape,
        data: impl FnOnce() -> Result<Cow<'d, [M31]>, WitnessError>,
    ) -> Result<Columns<B::Buffer>, WitnessError> {
        self.0.upload(backend, table, data)
    }
}

/// Makes the main columns of a run's components on a backend.
///
/// The run is owned, borrowed or shared: `I` is a `ProverInput`, a reference or an `Arc` to one.
#[derive(Debug)]
pub struct Witness<I> {
    input: I,
    sizes: Sizes,
    /// By component; `None` for a fixed table.
    programs: Vec<Option<&'static ComponentProgram>>,
    public_memory: Option<&'static ComponentProgram>,
}

impl<I: Borrow<ProverInput>> Witness<I> {
    /// Counts the rows of a run, to be proven with a set of preprocessed columns, and records the programs of its components.
    ///
    /// # Errors
    /// What is malformed about the run, or too large for the columns.
    pub fn new(input: I, variant: Variant) -> Result<Self, WitnessError> {
        let sizes = Sizes::new(input.borrow(), variant)?;
        let record = |size: &Size| {
            let component = size.component.name;
            size.component.recorded().map_err(|error| WitnessError::Program { component, error })
        };
        let programs = sizes.components().par_iter().map(record).collect::<Result<_, _>>()?;
        let public_memory = sizes.public_memory().map(record).transpose()?.flatten();
        Ok(Self { input, sizes, programs, public_memory })
    }

    /// The run.
    pub fn input(&self) -> &ProverInput {
        self.input.borrow()
    }

    /// The components, and how many rows they have.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The programs of the components; `None` for a fixed table.
    pub fn programs(&self) -> &[Option<&'static ComponentProgram>] {
        &self.programs
    }

    /// A table for each component, in order.
    ///
    /// # Errors
    /// [`WitnessError::Rows`] if the run is not one of the Cairo machine; what the backend reports.
    pub fn tables<B: StarkBackend<P = CircleStark>>(
        &self,
        uploads: &impl Uploads<B>,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, WitnessError> {
        let mut made = Making {
            input: self.input.borrow(),
            variant: self.sizes.variant(),
            uploads,
            backend,
            tables: BTreeMap::new(),
            counters: BTreeMap::new(),
            lists: BTreeMap::new(),
            scratch: Vec::new(),
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

impl<I: Borrow<ProverInput> + Send + Sync> TraceMaker for Witness<I> {
    fn make<B: StarkBackend<P = CircleStark>, S: Stage<B>>(
        &self,
        stage: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.tables(&Staged(stage), backend).map_err(|error| match error {
            WitnessError::Hal(error) => error.into(),
            error => ProveError::Trace(Box::new(error)),
        })
    }
}

/// What is on the backend between components.
struct Making<'a, B: StarkBackend<P = CircleStark>, U> {
    input: &'a ProverInput,
    variant: Variant,
    uploads: &'a U,
    backend: &'a B,
    tables: BTreeMap<Table, Columns<B::Buffer>>,
    counters: BTreeMap<Counter, Columns<B::Buffer>>,
    /// What callers have handed to a component that is to come, part after part.
    lists: BTreeMap<List, Vec<Columns<B::Buffer>>>,
    /// Where large tables are put together for their upload, one after the other: fresh memory takes longer to get than to fill.
    scratch: Vec<M31>,
}

impl<B: StarkBackend<P = CircleStark>, U: Uploads<B>> Making<'_, B, U> {
    /// The columns of a component that has a program.
    fn rows(&mut self, size: &Size, program: &ComponentProgram) -> Result<Columns<B::Buffer>, WitnessError> {
        let component = size.component.name;
        let source = self.source(size)?;
        for table in &program.tables {
            self.prepare(*table, size)?;
        }
        // Counters that the program counts are taken out, so that those that it reads can be borrowed beside them.
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
        let made = self.backend.rows(&run, &mut counters);
        let RowsMade { lists, columns } = made.map_err(|error| match error.kind {
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
        let one = match (size.component.rows, size.requests()) {
            (Rows::List(list, _), _) => return Ok(self.lists.remove(&list).unwrap_or_default()),
            (Rows::States(of), _) => {
                let (states, scratch) = (of(by_opcode), &mut self.scratch);
                let value = |state: &CasmState, value: usize| state.values()[value].0;
                self.uploads.upload(self.backend, table(3), move || {
                    tables::columns((states, states.first()), (3, size.log_size), value, scratch);
                    Ok(Cow::Borrowed(scratch.as_slice()))
                })?
            }
            (_, Some(requests)) => self
                .uploads
                .upload(self.backend, table(requests.width() + 1), || Ok(request_columns(requests, size)))?,
            (Rows::PublicMemory, _) => {
                let addresses = || tables::public_addresses(self.input, size.log_size).map(Cow::Owned);
                self.uploads.upload(self.backend, table(1), addresses)?
            }
            (Rows::Segment(_), _) => self.numbers(&[size.start])?,
            (Rows::Addresses, _) => self.numbers(&[size.rows(), size.entries])?,
            _ => self.numbers(&[size.start, size.entries])?,
        };
        Ok(vec![one])
    }

    /// A table of one row.
    fn numbers(&self, numbers: &[usize]) -> Result<Columns<B::Buffer>, WitnessError> {
        let data = || Ok(numbers.iter().map(|number| M31::new(*number as u32)).collect());
        self.uploads.upload(self.backend, Columns::new((), numbers.len(), 0), data)
    }

    /// A table of zeros, which need not be uploaded where the device makes a recurrence. Widths are powers of two, so it is one column
    /// cut into pieces.
    fn zeros(&self, width: usize, log_rows: u32) -> Result<Columns<B::Buffer>, WitnessError> {
        let zero = M31::new(0);
        if !self.backend.has(Operation::Recurrence) || !width.is_power_of_two() {
            let data = || Ok(Cow::Owned(vec![zero; width << log_rows]));
            return self.uploads.upload(self.backend, Columns::new((), width, log_rows), data);
        }
        let log_height = log_rows + width.ilog2();
        let recurrence = Recurrence { coefficients: vec![zero], initial: vec![zero], restarts: vec![], log_height };
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
        let (input, variant, scratch) = (self.input, self.variant, &mut self.scratch);
        let log_rows = match table {
            Table::AddressToId => tables::log_addresses(input),
            Table::Big => tables::log_big(input),
            Table::Small => tables::log_small(input),
            constant => constants::log_rows(constant).unwrap_or(0),
        };
        let shape = Columns::new((), table.width(), log_rows);
        let uploaded = self.uploads.upload(self.backend, shape, move || {
            match table {
                Table::AddressToId => tables::address_to_id(input, scratch),
                Table::Big => tables::big(input, scratch),
                Table::Small => tables::small(input, scratch),
                constant => return Ok(Cow::Owned(constants::values(constant, variant))),
            }?;
            Ok(Cow::Borrowed(scratch.as_slice()))
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

    /// Drops what no component to come reads.
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
fn request_columns<'d>(requests: &Requests, size: &Size) -> Cow<'d, [M31]> {
    let padding = size.rows() - requests.len();
    let mut columns = Vec::with_capacity((requests.width() + 1) << size.log_size);
    for word in 0..requests.width() {
        columns.extend(requests.words(word).map(M31::new));
        let first = requests.words(word).next().unwrap_or(0);
        columns.extend(std::iter::repeat_n(M31::new(first), padding));
    }
    columns.extend(requests.counts().iter().map(|count| M31::new(*count)));
    columns.extend(std::iter::repeat_n(M31::new(0), padding));
    Cow::Owned(columns)
}
