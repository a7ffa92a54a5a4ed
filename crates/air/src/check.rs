//! Looking at a trace row by row, without any proof: plain host code, slow and obvious.

use std::fmt;

use field::{Field, batch_inverse};
use gpu_hal::{Protocol, RunningKind};

use crate::{Air, AirError, ConstraintKind, GroupRole, Recorded, Trace};

/// The first violated constraint of a trace: lowest number (transitions first), then lowest row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation<P: Protocol> {
    /// Number among all constraints: transitions, then boundaries.
    pub constraint: usize,
    /// Transition or boundary.
    pub kind: ConstraintKind,
    /// Number among the constraints of its kind.
    pub number: usize,
    /// The row that it is placed on.
    pub row: usize,
    /// Its value there, which should be zero.
    pub value: P::Ext,
}

impl<P: Protocol> fmt::Display for Violation<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} constraint {} is {} on row {}, not 0", self.kind, self.number, self.value, self.row)
    }
}

/// Why a trace did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError<P: Protocol> {
    /// It does not fit the AIR.
    #[error(transparent)]
    Air(#[from] AirError),
    /// It violates a constraint.
    #[error("{0}")]
    Violation(Violation<P>),
}

/// Builds the auxiliary columns and evaluates every constraint on each row that it holds on.
///
/// # Errors
/// [`TraceError::Violation`] names the first violated constraint and row; [`TraceError::Air`] if shapes do not fit.
pub fn check_trace<P: Protocol, A: Air<P> + ?Sized>(
    recorded: &Recorded<P>,
    air: &A,
    main: &Trace<P::Base>,
    challenges: &[P::Ext],
) -> Result<(), TraceError<P>> {
    let aux = build_aux(recorded, air, main, challenges)?;
    check_columns(recorded, main, &aux, challenges)
}

/// As [`check_trace`], with the auxiliary columns given.
///
/// # Errors
/// As [`check_trace`].
pub fn check_columns<P: Protocol>(
    recorded: &Recorded<P>,
    main: &Trace<P::Base>,
    aux: &[Vec<P::Ext>],
    challenges: &[P::Ext],
) -> Result<(), TraceError<P>> {
    check_main(recorded, main)?;
    check_ext_columns("auxiliary columns", aux, recorded.layout().aux_columns, recorded.trace_length())?;
    let params = recorded.params(challenges)?;
    let (n, transitions) = (recorded.trace_length(), recorded.transitions());
    let first_periodic = 1 + usize::from(recorded.layout().aux_columns > 0);
    let mut first: Option<Violation<P>> = None;
    for row in 0..n {
        let values = recorded.constraints().evaluate(&params, |group, column, offset| {
            let at = (row + offset as usize) % n;
            match recorded.groups()[group] {
                GroupRole::Main => P::Ext::from(main.get(at, column)),
                GroupRole::Aux => aux[column][at],
                GroupRole::Periodic { .. } => {
                    let table = &recorded.periodic()[group - first_periodic];
                    P::Ext::from(table.get(at % table.height(), column))
                }
                GroupRole::Exemptions => unreachable!("constraints have no way to load an exemption column"),
            }
        });
        let holds = transitions
            .iter()
            .map(|rows| rows.contains(row, n))
            .chain(recorded.boundaries().iter().map(|boundary| boundary.row() == row));
        for (constraint, (value, holds)) in values.into_iter().zip(holds).enumerate() {
            if first.as_ref().is_some_and(|found| found.constraint <= constraint) {
                break;
            }
            if holds && !value.is_zero() {
                let (kind, number) = recorded.constraint(constraint);
                first = Some(Violation { constraint, kind, number, row, value });
                break;
            }
        }
    }
    first.map_or(Ok(()), |violation| Err(TraceError::Violation(violation)))
}

/// The auxiliary columns (`n` rows each, row order), in plain host code.
///
/// # Errors
/// If the trace, the challenges or the columns that the AIR computes have the wrong shape.
pub fn build_aux<P: Protocol, A: Air<P> + ?Sized>(
    recorded: &Recorded<P>,
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

fn check_main<P: Protocol>(recorded: &Recorded<P>, main: &Trace<P::Base>) -> Result<(), AirError> {
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
