//! The order in which components are made: callers before those that they call, memory after all that use it, fixed tables last.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use field::M31;
use gpu_hal::{CircleStark, Columns, ErrorKind, RowRun, RowsMade, Shape, StarkBackend};
use prover_core::Stage;
use prover_core::circle::{ProveError, TraceMaker};
use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;

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
    programs: Vec<Option<ComponentProgram>>,
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
            let program = size.component.program.map(|record| record()).transpose();
            program.map_err(|error| WitnessError::Program { component, error })
        };
        let programs = sizes.components().par_iter().map(record).collect::<Result<_, _>>()?;
        Ok(Self { input, sizes, programs })
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
    pub fn programs(&self) -> &[Option<ComponentProgram>] {
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
        };
        let components = || self.sizes.components().iter().zip(&self.programs);
        let rows = components().enumerate().map(|(index, (size, program))| {
            let program = program.as_ref();
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
                let states = of(by_opcode);
                let values = || {
                    let column = |value: usize| {
                        let values = states.par_iter().map(move |state| M31::new(state.values()[value].0));
                        let first = M31::new(states[0].values()[value].0);
                        values.chain(rayon::iter::repeat_n(first, size.rows() - states.len()))
                    };
                    Ok((0..3).into_par_iter().flat_map(column).collect())
                };
                self.uploads.upload(self.backend, table(3), || values().map(Cow::Owned))?
            }
            (_, Some(requests)) => self
                .uploads
                .upload(self.backend, table(requests.width() + 1), || Ok(request_columns(requests, size)))?,
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
        let (log_rows, data): (u32, &dyn Fn() -> Result<Vec<M31>, WitnessError>) = match table {
            Table::AddressToId => (tables::log_addresses(input), &|| tables::address_to_id(input)),
            Table::Big => (tables::log_big(input), &|| tables::big(input)),
            Table::Small => (tables::log_small(input), &|| tables::small(input)),
            constant => (constants::log_rows(constant).unwrap_or(0), &move || Ok(constants::values(constant, variant))),
        };
        let shape = Columns::new((), table.width(), log_rows);
        let uploaded = self.uploads.upload(self.backend, shape, || data().map(Cow::Owned))?;
        self.tables.insert(table, uploaded);
        Ok(())
    }

    /// Takes a counter; one that is not there yet starts with the uses of public memory, or zeros.
    fn counter(&mut self, counter: Counter) -> Result<Columns<B::Buffer>, WitnessError> {
        if let Some(counter) = self.counters.remove(&counter) {
            return Ok(counter);
        }
        let input = self.input;
        match counter.table() {
            Some((_, log_rows, width)) => self.uploads.upload(self.backend, Columns::new((), width, log_rows), || {
                Ok(Cow::Owned(vec![M31::new(0); width << log_rows]))
            }),
            None => {
                let shape = Columns::new((), 1, tables::log_uses(input, counter));
                self.uploads.upload(self.backend, shape, || tables::public_uses(input, counter).map(Cow::Owned))
            }
        }
    }

    /// Drops what no component to come reads.
    fn drop_unread(&mut self, to_come: &[Option<ComponentProgram>]) {
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
