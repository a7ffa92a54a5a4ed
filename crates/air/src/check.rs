//! Looking at a trace row by row, without any proof: plain host code, slow and obvious.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use field::{Field, batch_inverse};
use gpu_hal::{Protocol, RunningKind};

use crate::findings::{Cell, Findings, Table, Violation};
use crate::nonzero::{NonZero, inputs, nonzero};
use crate::{Air, AirError, Column, GroupRole, RecordedAir, Trace};

/// Why a trace did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError<P: Protocol> {
    /// It does not fit the AIR.
    #[error(transparent)]
    Air(#[from] AirError),
    /// It violates constraints.
    #[error("{0}")]
    Wrong(Box<Findings<P>>),
}

/// Builds the auxiliary columns and evaluates every constraint on each row that it holds on.
///
/// # Errors
/// [`TraceError::Wrong`] has the first `limit` violations: transitions in order of declaration, then boundaries, each
/// by row. [`TraceError::Air`] if shapes do not fit.
pub fn check_trace<P: Protocol, A: Air<P> + ?Sized>(
    recorded: &RecordedAir<P>,
    air: &A,
    main: &Trace<P::Base>,
    challenges: &[P::Ext],
    limit: usize,
) -> Result<(), TraceError<P>> {
    let aux = build_aux(recorded, air, main, challenges)?;
    check_columns(recorded, main, &aux, challenges, limit)
}

/// As [`check_trace`], with the auxiliary columns given.
///
/// # Errors
/// As [`check_trace`].
pub fn check_columns<P: Protocol>(
    recorded: &RecordedAir<P>,
    main: &Trace<P::Base>,
    aux: &[Vec<P::Ext>],
    challenges: &[P::Ext],
    limit: usize,
) -> Result<(), TraceError<P>> {
    check_main(recorded, main)?;
    check_ext_columns("auxiliary columns", aux, recorded.layout().aux_columns, recorded.trace_length())?;
    let params = recorded.params(challenges)?;
    let tables = Tables { recorded, main, aux };
    let (n, transitions) = (recorded.trace_length(), recorded.transitions());
    let holds = |constraint: usize, row: usize| match constraint.checked_sub(transitions.len()) {
        None => transitions[constraint].contains(row, n),
        Some(boundary) => recorded.boundaries()[boundary].row() == row,
    };
    let load = |row: usize, group: usize, column: usize, offset: i32| tables.cell(row, group, column, offset).value;
    let (found, violated) = nonzero(recorded.constraints(), &params, n, &holds, &load, limit);
    if violated == 0 {
        return Ok(());
    }
    let violations = found.iter().map(|found| tables.violation(found)).collect();
    Err(TraceError::Wrong(Box::new(Findings { violations, violated, lookups: None })))
}

/// All that constraints read.
struct Tables<'a, P: Protocol> {
    recorded: &'a RecordedAir<P>,
    main: &'a Trace<P::Base>,
    aux: &'a [Vec<P::Ext>],
}

/// A cell without its name.
struct UnnamedCell<P: Protocol> {
    table: Table,
    column: usize,
    row: usize,
    value: P::Ext,
}

impl<P: Protocol> Tables<'_, P> {
    /// The value that is read on a row at an offset.
    fn cell(&self, row: usize, group: usize, column: usize, offset: i32) -> UnnamedCell<P> {
        // Offsets of an AIR are not negative.
        let row = (row + offset as usize) % self.recorded.trace_length();
        match self.recorded.groups()[group] {
            GroupRole::Main => {
                UnnamedCell { table: Table::Main, column, row, value: P::Ext::from(self.main.get(row, column)) }
            }
            GroupRole::Aux => UnnamedCell { table: Table::Aux, column, row, value: self.aux[column][row] },
            GroupRole::Periodic { .. } => {
                let group = group - 1 - usize::from(self.recorded.layout().aux_columns > 0);
                let table = &self.recorded.periodic()[group];
                let value = P::Ext::from(table.get(row % table.height(), column));
                UnnamedCell { table: Table::Periodic, column: self.recorded.periodic_number(group, column), row, value }
            }
            GroupRole::Exemptions => unreachable!("constraints have no way to load an exemption column"),
        }
    }

    fn violation(&self, found: &NonZero<P>) -> Violation<P> {
        let NonZero { output: constraint, row, value } = *found;
        let (kind, number) = self.recorded.constraint(constraint);
        let cell = |(group, column, offset)| {
            let UnnamedCell { table, column, row, value } = self.cell(row, group, column, offset);
            let name = match table {
                Table::Main => self.recorded.column_name(Column::Main(column)),
                Table::Aux => self.recorded.column_name(Column::Aux(column)),
                _ => None,
            };
            Cell { table, column, name: name.map(str::to_owned), row, value }
        };
        Violation {
            component: None,
            constraint,
            kind: Some(kind),
            number,
            name: self.recorded.constraint_name(constraint).map(str::to_owned),
            row,
            value,
            cells: inputs(self.recorded.constraints(), constraint).into_iter().map(cell).collect(),
        }
    }
}

/// The auxiliary columns (`n` rows each, row order), in plain host code.
///
/// # Errors
/// If the trace, the challenges or the columns that the AIR computes have the wrong shape.
pub fn build_aux<P: Protocol, A: Air<P> + ?Sized>(
    recorded: &RecordedAir<P>,
    air: &A,
    main: &Trace<P::Base>,
    challenges: &[P::Ext],
) -> Result<Vec<Vec<P::Ext>>, AirError> {
    check_main(recorded, main)?;
    recorded.check_challenges(challenges)?;
    let mut aux = vec![Vec::new(); recorded.layout().aux_columns];
    if !recorded.host_aux().is_empty() {
        let host = air.host_columns(main, challenges);
        check_ext_columns("host columns", &host, recorded.host_aux().len(), recorded.trace_length())?;
        for (column, &index) in host.into_iter().zip(recorded.host_aux()) {
            aux[index] = column;
        }
    }
    let Some(running) = recorded.running() else {
        return Ok(aux);
    };
    let n = recorded.trace_length();
    let mut numerators = vec![Vec::with_capacity(n); running.columns.len()];
    let mut denominators = numerators.clone();
    for row in 0..n {
        let values = running.program.evaluate(challenges, |group, column, offset| {
            let table = if group == 0 { main } else { &recorded.periodic()[group - 1] };
            P::Ext::from(table.get((row + offset as usize) % n % table.height(), column))
        });
        for (k, column) in running.columns.iter().enumerate() {
            numerators[k].push(values[column.numerator]);
            denominators[k].push(values[column.denominator]);
        }
    }
    for (k, (column, &index)) in running.columns.iter().zip(&running.aux_index).enumerate() {
        batch_inverse(&mut denominators[k]);
        let mut total = match column.kind {
            RunningKind::Product => P::Ext::ONE,
            RunningKind::Sum => P::Ext::ZERO,
        };
        aux[index] = numerators[k]
            .iter()
            .zip(&denominators[k])
            .map(|(&numerator, &inverse)| {
                let before = total;
                match column.kind {
                    RunningKind::Product => total *= numerator * inverse,
                    RunningKind::Sum => total += numerator * inverse,
                }
                if column.inclusive { total } else { before }
            })
            .collect();
    }
    Ok(aux)
}

fn check_main<P: Protocol>(recorded: &RecordedAir<P>, main: &Trace<P::Base>) -> Result<(), AirError> {
    let columns = recorded.layout().main_columns;
    if main.width() != columns || main.log_height() != recorded.log_trace_length() {
        return Err(AirError::TraceShape(format!(
            "a main trace of {} columns and 2^{} rows, `{}` has {columns} and 2^{}",
            main.width(),
            main.log_height(),
            recorded.name(),
            recorded.log_trace_length()
        )));
    }
    Ok(())
}

fn check_ext_columns<E>(what: &'static str, columns: &[Vec<E>], needed: usize, rows: usize) -> Result<(), AirError> {
    if columns.len() != needed {
        return Err(AirError::Count { what, given: columns.len(), needed });
    }
    match columns.iter().position(|column| column.len() != rows) {
        Some(at) => Err(AirError::Count { what: "rows of a computed column", given: columns[at].len(), needed: rows }),
        None => Ok(()),
    }
}
