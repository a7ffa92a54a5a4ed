//! A row of a component, as cairo-air's own evaluators see it: the constraints that hold, and the sum of its lookups.

use std::ops::Mul;

use num_traits::{One, Zero};
use stwo::core::Fraction;
use stwo::core::fields::FieldExpOps;
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, InfoEvaluator, ORIGINAL_TRACE_IDX};

use crate::air_1_3::Visitor;

/// The result of evaluating a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Constraints that are not zero. Constraints of the interaction columns are left out: a prover makes the columns
    /// of any fractions.
    pub(super) broken: usize,
    /// The sum of the fractions. Over all rows it is the claimed sum.
    pub(super) sum: SecureField,
}

/// Reads one row. A component that reads another row than its own makes it panic: so a change of a cell is seen by its
/// row alone.
struct Row<'a> {
    cells: std::slice::Iter<'a, BaseField>,
    fixed: std::slice::Iter<'a, BaseField>,
    broken: usize,
    sum: Fraction<SecureField, SecureField>,
}

impl EvalAtRow for Row<'_> {
    type F = BaseField;
    type EF = SecureField;

    fn next_interaction_mask<const N: usize>(&mut self, tree: usize, offsets: [isize; N]) -> [BaseField; N] {
        assert_eq!((tree, &offsets[..]), (ORIGINAL_TRACE_IDX, &[0][..]), "a main column is read in its own row");
        [*self.cells.next().expect("as many cells as columns"); N]
    }

    fn get_preprocessed_column(&mut self, _: PreProcessedColumnId) -> BaseField {
        *self.fixed.next().expect("as many as are read")
    }

    fn add_constraint<G>(&mut self, constraint: G)
    where
        SecureField: Mul<G, Output = SecureField> + From<G>,
    {
        self.broken += usize::from(!SecureField::from(constraint).is_zero());
    }

    fn combine_ef(values: [BaseField; 4]) -> SecureField {
        SecureField::from_m31_array(values)
    }

    fn write_logup_frac(&mut self, fraction: Fraction<SecureField, SecureField>) {
        self.sum = self.sum + fraction;
    }

    fn finalize_logup_batched(&mut self, _: &Vec<usize>) {}

    fn finalize_logup(&mut self) {}

    fn finalize_logup_in_pairs(&mut self) {}
}

/// A component of cairo-air.
pub(super) trait Component: Send + Sync {
    /// The preprocessed columns in the order in which they are read, one again for each time.
    fn fixed(&self) -> Vec<PreProcessedColumnId>;

    /// A row: its main cells, and the preprocessed ones in the order of [`Self::fixed`].
    fn see(&self, cells: &[BaseField], fixed: &[BaseField]) -> Seen;
}

impl<E: FrameworkEval + Send + Sync> Component for E {
    fn fixed(&self) -> Vec<PreProcessedColumnId> {
        self.evaluate(InfoEvaluator::empty()).preprocessed_columns
    }

    fn see(&self, cells: &[BaseField], fixed: &[BaseField]) -> Seen {
        let sum = Fraction::new(SecureField::zero(), SecureField::one());
        let row = self.evaluate(Row { cells: cells.iter(), fixed: fixed.iter(), broken: 0, sum });
        assert_eq!((row.cells.len(), row.fixed.len()), (0, 0), "everything is read");
        let Fraction { numerator, denominator } = row.sum;
        Seen { broken: row.broken, sum: numerator * denominator.inverse() }
    }
}

impl Visitor for Vec<Box<dyn Component>> {
    fn take<E: FrameworkEval + Send + Sync + 'static>(&mut self, eval: E) {
        self.push(Box::new(eval));
    }
}
