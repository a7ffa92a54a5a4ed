//! How often components and public values look up.

use field::{Field, M31, PrimeField, QM31};
use gpu_hal::LinearRecurrence;

use crate::framework::Recording;
use crate::framework::tape::{Entry, Value};
use crate::public::times;

/// The largest number of cells of preprocessed columns that are made and read to count, if a multiplicity column does
/// not repeat a few values: the same number as verifiers make by default.
pub(crate) const MAX_READ_CELLS: u64 = 1 << 26;

/// More than this counts as this.
pub(crate) const MOST: u64 = M31::ORDER;

/// Knowledge of a preprocessed column.
pub(crate) enum ColumnBounds<'a> {
    /// No absolute value is larger.
    AtMost(u64),
    /// By row.
    Values(&'a [M31]),
}

impl ColumnBounds<'static> {
    /// Knowledge of a column that repeats its starts, which takes no time by the rows.
    pub(crate) fn repeated(column: &LinearRecurrence<M31>) -> Option<Self> {
        let (first, others) = column.coefficients.split_first()?;
        let repeats = *first == M31::ONE && others.iter().all(M31::is_zero);
        repeats.then(|| {
            Self::AtMost(
                column.starts().flat_map(|(_, values)| values).map(|value| times(*value)).max().unwrap_or(MOST),
            )
        })
    }
}

fn constant(value: QM31) -> u64 {
    match value.0 {
        [base, rest @ ..] if rest == [M31::default(); 3] => times(base),
        _ => MOST,
    }
}

/// The multiplicities of a component, bounded.
pub(crate) struct Multiplicities<'a> {
    recording: &'a Recording,
    /// Entries that they depend on, ascending.
    needed: Vec<usize>,
}

impl<'a> Multiplicities<'a> {
    pub(crate) fn new(recording: &'a Recording) -> Self {
        let mut is_needed = vec![false; recording.entries.len()];
        for numerator in &recording.numerators {
            if let Value::Entry { index, .. } = *numerator {
                is_needed.get_mut(index as usize).into_iter().for_each(|needed| *needed = true);
            }
        }
        for index in (0..is_needed.len()).rev() {
            if is_needed[index] {
                recording.entries[index].operands().for_each(|operand| is_needed[operand as usize] = true);
            }
        }
        let needed = (0..is_needed.len()).filter(|index| is_needed[*index]).collect();
        Self { recording, needed }
    }

    /// The preprocessed columns that they depend on, by the component's numbers.
    pub(crate) fn preprocessed(&self) -> impl Iterator<Item = usize> {
        self.needed.iter().filter_map(|index| match self.recording.entries[*index] {
            Entry::Load { tree: 0, column, .. } => Some(column as usize),
            _ => None,
        })
    }

    /// How often all rows look up, at most: [`crate::RecordedStatement::lookups`]. A column counts as a flag, 0, 1 or
    /// -1, except the `known` columns, by the component's numbers of preprocessed columns; sums and products of
    /// constants and columns by the largest absolute value that they have then.
    pub(crate) fn lookups(&self, known: &[(usize, ColumnBounds<'_>)]) -> u64 {
        let rows = 1u64 << self.recording.log_size;
        let batches = 2 * self.recording.batches.as_ref().map_or(0, Vec::len) as u64 * rows;
        let mut bounds = vec![0; self.recording.entries.len()];
        let mut of_row = |row: u64| {
            self.of_row(&mut bounds, &|column| match known.iter().find(|(of, _)| *of == column) {
                None => 1,
                Some((_, ColumnBounds::AtMost(most))) => *most,
                Some((_, ColumnBounds::Values(values))) => values.get(row as usize).map_or(MOST, |value| times(*value)),
            })
        };
        let counted = if known.iter().any(|(_, known)| matches!(known, ColumnBounds::Values(_))) {
            (0..rows).map(of_row).fold(0, u64::saturating_add)
        } else {
            of_row(0).saturating_mul(rows)
        };
        counted.max(batches)
    }

    /// How often a row looks up, if `preprocessed` bounds the preprocessed columns.
    fn of_row(&self, bounds: &mut [u64], preprocessed: &dyn Fn(usize) -> u64) -> u64 {
        for &index in &self.needed {
            let of = |index: u32| bounds[index as usize];
            bounds[index] = match self.recording.entries[index] {
                Entry::Constant(value) => constant(value),
                Entry::Load { tree: 0, column, .. } => preprocessed(column as usize),
                Entry::Load { .. } | Entry::Shift => 1,
                Entry::Neg(a) => of(a),
                Entry::Add(a, b) | Entry::Sub(a, b) => (of(a) + of(b)).min(MOST),
                // Both are below 2^31.
                Entry::Mul(a, b) => (of(a) * of(b)).min(MOST),
            };
        }
        let times = |numerator: &Value| match *numerator {
            Value::Constant(value) => constant(value),
            Value::Entry { index, .. } => bounds.get(index as usize).copied().unwrap_or(MOST),
        };
        self.recording.numerators.iter().map(times).fold(0, u64::saturating_add)
    }
}
