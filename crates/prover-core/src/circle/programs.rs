//! Programs of a statement, prepared on a backend.

use std::sync::Arc;

use circle_air::{ColumnProgram, Statement, TableProgram};
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{CircleStark, ConstraintProgram, Operation, StarkBackend, Types};

use super::ProveError;

/// The programs of a component.
#[derive(Clone, Copy)]
pub(crate) struct Programs<T> {
    pub(crate) constraints: T,
    pub(crate) logup: Option<T>,
}

impl<T: Types<P = CircleStark>> Programs<Arc<Prepared<T>>> {
    pub(crate) fn new<B>(backend: &B, component: &circle_air::RecordedComponent) -> Result<Self, ProveError>
    where
        B: StarkBackend<P = CircleStark, T = T, Program = T::Program>,
    {
        // A device is given no table without columns.
        let prepare = |program: &ConstraintProgram<CircleStark>| {
            Prepared::shared(backend, &Arc::new(program.without_empty_groups()))
        };
        let logup = component.logup.as_ref().map(|logup| prepare(&logup.program)).transpose()?;
        Ok(Self { constraints: prepare(&component.constraints)?, logup })
    }
}

impl<T> Programs<T> {
    pub(crate) fn map<'a, U>(&'a self, of: impl Fn(&'a T) -> U) -> Programs<U> {
        Programs { constraints: of(&self.constraints), logup: self.logup.as_ref().map(of) }
    }
}

/// The way to make the columns of a component from its sources.
#[derive(Clone, Copy)]
pub(crate) enum ColumnSource<T> {
    Sources,
    Map(T),
    Tree { leaf: T, node: T },
}

impl<T> ColumnSource<T> {
    pub(crate) fn as_ref(&self) -> ColumnSource<&T> {
        self.map(|program| program)
    }

    pub(crate) fn map<'a, U>(&'a self, of: impl Fn(&'a T) -> U) -> ColumnSource<U> {
        match self {
            Self::Sources => ColumnSource::Sources,
            Self::Map(program) => ColumnSource::Map(of(program)),
            Self::Tree { leaf, node } => ColumnSource::Tree { leaf: of(leaf), node: of(node) },
        }
    }
}

/// The statement's trace program, and the way to make the columns of each component.
pub(crate) type TracePrograms<B> = (Vec<TableProgram>, Vec<ColumnSource<Arc<Prepared<<B as StarkBackend>::T>>>>);

/// Prepares the programs that make the components' columns. `None` if the statement declares no trace program or the
/// backend lacks an operation that it takes.
pub(crate) fn prepare<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    statement: &dyn Statement,
) -> Result<Option<TracePrograms<B>>, ProveError> {
    let has = |op| backend.has(op);
    let can = |table: &TableProgram| {
        has(Operation::Recurrence)
            && match table.columns {
                ColumnProgram::Sources => table.sources.len() == 1 || has(Operation::Select),
                ColumnProgram::Map(_) => has(Operation::Map),
                ColumnProgram::Tree { .. } => has(Operation::TreeMap),
            }
    };
    let Some(tables) = statement.trace_program().filter(|tables| tables.iter().all(can)) else { return Ok(None) };
    let prepare = |table: &TableProgram| {
        Ok(match &table.columns {
            ColumnProgram::Sources => ColumnSource::Sources,
            ColumnProgram::Map(program) => ColumnSource::Map(Prepared::new(backend, program)?),
            ColumnProgram::Tree { leaf, node, .. } => {
                ColumnSource::Tree { leaf: Prepared::new(backend, leaf)?, node: Prepared::new(backend, node)? }
            }
        })
    };
    let makings = tables.iter().map(prepare).collect::<Result<_, ProveError>>()?;
    Ok(Some((tables, makings)))
}
