//! The parts that components hand to each other while they are made: tables, counters and lists on the backend.

use std::collections::BTreeMap;

use cairo_run::{Run, State};
use field::M31;
use gpu_hal::{CircleStark, Columns, DeferredFault, ErrorKind, RowRun, RowsOutput, Shape, StarkBackend};
use prover_core::ModeOn;
use prover_core::circle::ProveError;

use super::error::WitnessError;
use super::requests::Requests;
use super::size::Size;
use super::tables;
use super::tables::Elements;
use crate::components::Rows;
use crate::components::constants;
use crate::components::machine::{ComponentProgram, Counter, List, Table};
use crate::preprocessed::Variant;

/// The columns of a component, and the parts of its source.
type RowsAndSource<Buffer> = (Columns<Buffer>, Vec<Columns<Buffer>>);

/// Generates the witness: the tables and counters that the backend holds between components.
pub(super) struct Generator<'a, B: StarkBackend<P = CircleStark>, S> {
    input: &'a Run,
    variant: Variant,
    mode: S,
    backend: &'a B,
    tables: BTreeMap<Table, Columns<B::Buffer>>,
    counters: BTreeMap<Counter, Columns<B::Buffer>>,
    /// Entries that callers have handed to later components, part after part.
    lists: BTreeMap<List, Vec<Columns<B::Buffer>>>,
}

impl<'a, B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Generator<'a, B, S> {
    pub(super) fn new(input: &'a Run, variant: Variant, mode: S, backend: &'a B) -> Self {
        let (tables, counters, lists) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { input, variant, mode, backend, tables, counters, lists }
    }

    /// The columns of a component that has a program, and the parts of its source. It counts, and hands its lists on.
    /// With a verdict the program is not waited for.
    pub(super) fn rows(
        &mut self,
        size: &Size,
        program: &ComponentProgram,
        verdict: Option<&mut DeferredFault>,
    ) -> Result<RowsAndSource<B::Buffer>, ProveError> {
        let source = self.source(size)?;
        for table in &program.tables {
            self.prepare(*table)?;
        }
        // Counters that the program counts are taken out, so that the ones that it reads can be borrowed beside them.
        let mut counted = Vec::with_capacity(program.counters.len());
        for counter in &program.counters {
            counted.push(self.counter(*counter)?);
        }
        let RowsOutput { lists, columns } = self.run(size, program, &source, &mut counted, verdict)?;
        self.counters.extend(program.counters.iter().copied().zip(counted));
        for (list, part) in program.lists.iter().zip(lists) {
            self.lists.entry(*list).or_default().push(part);
        }
        Ok((columns, source))
    }

    /// The same columns once more, of the same source, when all has been counted.
    pub(super) fn rows_again(
        &self,
        size: &Size,
        program: &ComponentProgram,
        source: &[Columns<B::Buffer>],
    ) -> Result<Columns<B::Buffer>, ProveError> {
        let counted = program.counters.iter().map(|counter| self.zero_counter(*counter));
        let mut counted = counted.collect::<Result<Vec<_>, _>>()?;
        // The program has run on these rows without a fault.
        Ok(self.run(size, program, source, &mut counted, Some(&mut DeferredFault::default()))?.columns)
    }

    /// Runs a program. The tables and counters that it reads are there.
    fn run(
        &self,
        size: &Size,
        program: &ComponentProgram,
        source: &[Columns<B::Buffer>],
        counted: &mut [Columns<B::Buffer>],
        verdict: Option<&mut DeferredFault>,
    ) -> Result<RowsOutput<B::T>, ProveError> {
        let component = size.component.name;
        let reads_entries = program.tables.contains(&Table::Entries);
        let entries = reads_entries.then(|| self.numbers(&[size.entries])).transpose()?;
        let table = |table: &Table| match (table, tables::uses_of(*table)) {
            (Table::Entries, _) => entries.as_ref().map(Columns::as_ref),
            (_, Some(counter)) => self.counters.get(&counter).map(Columns::as_ref),
            _ => self.tables.get(table).map(Columns::as_ref),
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
        let mut counters: Vec<_> = counted.iter_mut().map(Columns::as_mut).collect();
        let made = match verdict {
            Some(verdict) => self.backend.rows_ahead(&run, &mut counters, verdict),
            None => self.backend.rows(&run, &mut counters),
        };
        made.map_err(|error| match error.kind {
            ErrorKind::InvalidArgument => WitnessError::Rows { component, error }.into(),
            _ => error.into(),
        })
    }

    /// The parts of a component's source.
    fn source(&mut self, size: &Size) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
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
    ) -> Result<Columns<B::Buffer>, ProveError> {
        self.mode.upload_made(self.backend, table, || Ok(elements()?))
    }

    /// A table of one row.
    fn numbers(&self, numbers: &[usize]) -> Result<Columns<B::Buffer>, ProveError> {
        let elements = || Ok(tables::listed(numbers.iter().map(|number| M31::new(*number as u32)).collect::<Vec<_>>()));
        self.upload(Columns::new((), numbers.len(), 0), elements)
    }

    /// Uploads a table that is not there yet.
    fn prepare(&mut self, table: Table) -> Result<(), ProveError> {
        if let Some(counter) = tables::uses_of(table) {
            let uses = self.counter(counter)?;
            self.counters.insert(counter, uses);
            return Ok(());
        }
        // Every component has entries of its own.
        if table == Table::Entries || self.tables.contains_key(&table) {
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
    pub(super) fn counter(&mut self, counter: Counter) -> Result<Columns<B::Buffer>, ProveError> {
        self.counters.remove(&counter).map_or_else(|| self.zero_counter(counter), Ok)
    }

    /// Gives a counter back.
    pub(super) fn keep_counter(&mut self, counter: Counter, counted: Columns<B::Buffer>) {
        self.counters.insert(counter, counted);
    }

    /// A copy of a counter that is there.
    pub(super) fn copy_of(&self, counter: Counter) -> Result<Columns<B::Buffer>, ProveError> {
        let counted = self.counters.get(&counter).expect("the counters of tables are kept");
        let picks: Vec<_> = (0..counted.width).map(|column| (0, column)).collect();
        Ok(self.backend.select(&[counted.as_ref()], &picks)?)
    }

    fn zero_counter(&self, counter: Counter) -> Result<Columns<B::Buffer>, ProveError> {
        let (log_rows, width) = match counter.table() {
            Some((_, log_rows, width)) => (log_rows, width),
            None => (tables::log_uses(self.input, counter), 1),
        };
        Ok(self.mode.zeros(self.backend, Columns::new((), width, log_rows))?)
    }

    /// Drops the tables that no later component reads.
    pub(super) fn drop_unread(&mut self, to_come: &[Option<&ComponentProgram>]) {
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
