//! The preprocessed columns of an AIR of ours: selectors and periodic columns.

use air::{RecordedAir, Rows};
use field::{Field, M31};
use gpu_hal::{CircleStark, LinearRecurrence};

/// Largest order of a [`LinearRecurrence`].
const MAX_ORDER: usize = 4;

/// A preprocessed column, or a value that all rows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FixedColumn {
    /// One on these rows, else zero.
    Selector(Rows),
    /// One on this row, else zero.
    Row(usize),
    /// A periodic column (table, column), read a number of rows ahead.
    Periodic(usize, usize, usize),
}

/// The selector of the rows of a transition; `None` if it holds on all.
pub(crate) fn selector(rows: Rows, trace_length: usize) -> Option<FixedColumn> {
    match rows {
        rows if rows == Rows::all() => None,
        rows if rows == Rows::all().every(trace_length).from(rows.offset()) => Some(FixedColumn::Row(rows.offset())),
        rows => Some(FixedColumn::Selector(rows)),
    }
}

impl FixedColumn {
    pub(crate) fn id(self) -> String {
        match self {
            Self::Selector(rows) => {
                let (period, offset, end) = (rows.period(), rows.offset(), rows.end_exemptions());
                let (exempt_period, exempt_offset) = rows.exempted().unwrap_or_default();
                format!("rows_{period}_{offset}_{end}_{exempt_period}_{exempt_offset}")
            }
            Self::Row(row) => format!("row_{row}"),
            Self::Periodic(table, column, ahead) => format!("periodic_{table}_{column}_{ahead}"),
        }
    }

    pub(crate) fn value(self, air: &RecordedAir<CircleStark>, row: usize) -> M31 {
        let flag = |is_set: bool| M31::new(u32::from(is_set));
        match self {
            Self::Selector(rows) => flag(rows.contains(row, air.trace_length())),
            Self::Row(only) => flag(row == only),
            Self::Periodic(table, column, ahead) => {
                let table = &air.periodic()[table];
                table.get((row + ahead) % table.height(), column)
            }
        }
    }

    /// The column as a recurrence that repeats its values but on a few rows, if it is one: the verifier then needs no
    /// more time for a long column than for a short one.
    pub(crate) fn recurrence(self, air: &RecordedAir<CircleStark>) -> Option<LinearRecurrence<M31>> {
        let (rows, log_height) = (air.trace_length(), air.log_trace_length());
        let constant = |initial, restarts: Vec<(usize, M31)>| {
            let restarts = restarts.into_iter().filter(|(row, _)| *row < rows).map(|(row, value)| (row, vec![value]));
            LinearRecurrence {
                coefficients: vec![M31::ONE],
                initial: vec![initial],
                restarts: restarts.collect(),
                log_height,
            }
        };
        match self {
            Self::Row(0) => Some(constant(M31::ONE, vec![(1, M31::ZERO)])),
            Self::Row(row) => Some(constant(M31::ZERO, vec![(row, M31::ONE), (row + 1, M31::ZERO)])),
            Self::Selector(only) => {
                let end = only.end_exemptions();
                let is_step = only == Rows::all().except_last(end) && end < rows;
                is_step.then(|| constant(M31::ONE, vec![(rows - end, M31::ZERO)]))
            }
            Self::Periodic(table, ..) => {
                let period = air.periodic()[table].height();
                let mut coefficients = vec![M31::ZERO; period.min(MAX_ORDER)];
                coefficients[0] = M31::ONE;
                let initial = (0..coefficients.len()).map(|row| self.value(air, row)).collect();
                (period <= MAX_ORDER).then_some(LinearRecurrence {
                    coefficients,
                    initial,
                    restarts: Vec::new(),
                    log_height,
                })
            }
        }
    }
}
