//! stwo's `EvalAtRow`, recorded.

use std::collections::HashMap;
use std::ops::Mul;

use field::{ExtensionField, M31, QM31};
use num_traits::Zero;
use stwo::core::Fraction;
use stwo::core::fields::qm31::SECURE_EXTENSION_DEGREE;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, INTERACTION_TRACE_IDX, ORIGINAL_TRACE_IDX, PREPROCESSED_TRACE_IDX};

use super::tape::{self, Entry, Value};
use crate::{RecordError, TREES};

type Frac = Fraction<Value, Value>;

/// Collects masks, constraints and lookup fractions of one component. Wrong uses go to [`tape::fail`].
#[derive(Debug)]
pub(crate) struct Evaluator {
    log_size: u32,
    pub(crate) preprocessed: Vec<String>,
    /// The number of each of them, by name.
    places: HashMap<String, u32>,
    /// By tree and column.
    pub(crate) offsets: [Vec<Vec<isize>>; TREES],
    /// Entries of the tape.
    pub(crate) constraints: Vec<u32>,
    pub(crate) fractions: Vec<Frac>,
    /// (numerator, denominator) of each batch, as entries of the tape; set by finalisation.
    pub(crate) batches: Option<Vec<(u32, u32)>>,
    /// The batch of each fraction; set by finalisation.
    pub(crate) batching: Vec<usize>,
    /// The constraint of the first batch; those of the others follow.
    pub(crate) logup_constraint: usize,
    /// The first column of the lookups in the interaction tree.
    pub(crate) logup_first: usize,
}

impl Evaluator {
    pub(crate) fn new(log_size: u32) -> Self {
        Self {
            log_size,
            preprocessed: Vec::new(),
            places: HashMap::new(),
            offsets: Default::default(),
            constraints: Vec::new(),
            fractions: Vec::new(),
            batches: None,
            batching: Vec::new(),
            logup_constraint: 0,
            logup_first: 0,
        }
    }

    /// Checks that are possible only at the end.
    pub(crate) fn check(&self) {
        if self.batches.is_none() && !self.fractions.is_empty() {
            tape::fail(RecordError::LogupNotFinalised { fractions: self.fractions.len() });
        }
        if self.offsets[ORIGINAL_TRACE_IDX].is_empty() && self.offsets[INTERACTION_TRACE_IDX].is_empty() {
            tape::fail(RecordError::NoColumns);
        }
        if self.constraints.is_empty() {
            tape::fail(RecordError::NoConstraints);
        }
    }

    /// The next column of a tree.
    fn column<const N: usize>(&mut self, tree: usize, offsets: [isize; N]) -> [Value; N] {
        let column = self.offsets[tree].len();
        self.offsets[tree].push(offsets.to_vec());
        offsets.map(|offset| {
            let rows = 1isize << self.log_size;
            if offset <= -rows || offset >= rows {
                tape::fail(RecordError::Offset { tree, column, offset, log_size: self.log_size });
            }
            tape::record(Entry::Load { tree: tree as u32, column: column as u32, offset: offset as i32 })
        })
    }

    /// Four columns of the interaction tree as one over the extension.
    fn running_sum<const N: usize>(&mut self, offsets: [isize; N]) -> [Value; N] {
        let columns: [[Value; N]; SECURE_EXTENSION_DEGREE] =
            std::array::from_fn(|_| self.column(INTERACTION_TRACE_IDX, offsets));
        std::array::from_fn(|i| Self::combine_ef(columns.map(|column| column[i])))
    }

    /// The sum of the fractions of each batch, or an error if the batches are not `0..k`, each with an entry.
    fn batch(&self, batching: &[usize]) -> Result<Vec<Frac>, RecordError> {
        if self.batches.is_some() {
            return Err(RecordError::LogupFinalisedTwice);
        }
        if self.fractions.is_empty() {
            return Err(RecordError::LogupWithoutFractions);
        }
        if batching.len() != self.fractions.len() {
            return Err(RecordError::BatchingLength { batching: batching.len(), fractions: self.fractions.len() });
        }
        // As many batches as entries at most, so a number beyond leaves one of them empty.
        let count = batching.iter().fold(0, |count, &batch| count.max(batch.saturating_add(1)));
        let mut sums: Vec<Option<Frac>> = vec![None; count.min(batching.len())];
        for (fraction, &batch) in self.fractions.iter().zip(batching) {
            if let Some(sum) = sums.get_mut(batch) {
                *sum = Some(match *sum {
                    None => *fraction,
                    Some(sum) => Frac::new(
                        sum.numerator * fraction.denominator + fraction.numerator * sum.denominator,
                        sum.denominator * fraction.denominator,
                    ),
                });
            }
        }
        let gap = sums.iter().position(Option::is_none).or((count > sums.len()).then_some(sums.len()));
        match gap {
            Some(batch) => Err(RecordError::BatchingGap { batch }),
            None => Ok(sums.into_iter().flatten().collect()),
        }
    }

    /// The constraints of section 16: with `S_b` the sum up to batch `b`, in all batches but the last
    /// `(S_b - S_{b-1}) den_b - num_b`; in the last, which runs over the rows,
    /// `(S_b - S_b(previous row) - S_{b-1} + shift) den_b - num_b` with `shift = claimed sum / rows`.
    fn finalise(&mut self, batching: &[usize]) -> Result<(), RecordError> {
        let batches = self.batch(batching)?;
        self.logup_first = self.offsets[INTERACTION_TRACE_IDX].len();
        self.logup_constraint = self.constraints.len();
        self.batching = batching.to_vec();
        let mut previous = Value::zero();
        for (index, batch) in batches.iter().enumerate() {
            let step = if index + 1 < batches.len() {
                let [sum] = self.running_sum([0]);
                let step = sum - previous;
                previous = sum;
                step
            } else {
                let [previous_row, sum] = self.running_sum([-1, 0]);
                sum - previous_row - previous + tape::record(Entry::Shift)
            };
            self.add_constraint(step * batch.denominator - batch.numerator);
        }
        let entries = |batch: &Frac| (tape::entry(batch.numerator), tape::entry(batch.denominator));
        self.batches = Some(batches.iter().map(entries).collect());
        Ok(())
    }
}

impl EvalAtRow for Evaluator {
    type F = Value;
    type EF = Value;

    fn get_preprocessed_column(&mut self, column: PreProcessedColumnId) -> Value {
        let Some(&index) = self.places.get(&column.id) else {
            self.places.insert(column.id.clone(), self.preprocessed.len() as u32);
            self.preprocessed.push(column.id);
            let [value] = self.column(PREPROCESSED_TRACE_IDX, [0]);
            return value;
        };
        tape::record(Entry::Load { tree: PREPROCESSED_TRACE_IDX as u32, column: index, offset: 0 })
    }

    fn next_interaction_mask<const N: usize>(&mut self, interaction: usize, offsets: [isize; N]) -> [Value; N] {
        if ![ORIGINAL_TRACE_IDX, INTERACTION_TRACE_IDX].contains(&interaction) {
            tape::fail(RecordError::Tree { tree: interaction });
            return [Value::zero(); N];
        }
        if N == 0 {
            tape::fail(RecordError::EmptyMask { tree: interaction, column: self.offsets[interaction].len() });
        }
        self.column(interaction, offsets)
    }

    fn add_constraint<G>(&mut self, constraint: G)
    where
        Value: Mul<G, Output = Value> + From<G>,
    {
        self.constraints.push(tape::entry(Value::from(constraint)));
    }

    fn combine_ef(values: [Value; SECURE_EXTENSION_DEGREE]) -> Value {
        let basis = |index| Value::Constant(<QM31 as ExtensionField<M31>>::basis(index));
        let [first, rest @ ..] = values;
        rest.into_iter().enumerate().fold(first, |sum, (index, value)| sum + value * basis(index + 1))
    }

    fn write_logup_frac(&mut self, fraction: Frac) {
        if self.batches.is_some() {
            tape::fail(RecordError::FractionAfterFinalise);
        }
        self.fractions.push(fraction);
    }

    fn finalize_logup_batched(&mut self, batching: &Vec<usize>) {
        if let Err(error) = self.finalise(batching) {
            tape::fail(error);
        }
    }

    fn finalize_logup(&mut self) {
        self.finalize_logup_batched(&(0..self.fractions.len()).collect());
    }

    fn finalize_logup_in_pairs(&mut self) {
        self.finalize_logup_batched(&(0..self.fractions.len()).map(|entry| entry / 2).collect());
    }
}
