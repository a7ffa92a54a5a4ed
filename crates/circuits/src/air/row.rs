//! A row of a component, as constraints see it.

use num_traits::One;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry};

use super::relation::{GATE, Tuples};

/// The constraints of a component, without its height.
pub(super) trait Constraints: Copy + Send + Sync + 'static {
    /// Reads the columns, and adds constraints and lookups, which are taken in pairs.
    fn evaluate<E: EvalAtRow>(self, row: &mut Row<'_, E>);
}

/// A component: constraints on `2^log_size` rows.
#[derive(Clone)]
pub(super) struct Component<C> {
    pub(super) log_size: u32,
    pub(super) tuples: Tuples,
    pub(super) constraints: C,
}

impl<C: Constraints> FrameworkEval for Component<C> {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, eval: E) -> E {
        let mut row = Row { eval, tuples: &self.tuples };
        self.constraints.evaluate(&mut row);
        row.eval.finalize_logup_in_pairs();
        row.eval
    }
}

/// A row.
pub(super) struct Row<'a, E: EvalAtRow> {
    eval: E,
    tuples: &'a Tuples,
}

/// A number as a value of a row.
pub(super) fn number<E: EvalAtRow>(value: u32) -> E::F {
    E::F::from(BaseField::from(value))
}

impl<E: EvalAtRow> Row<'_, E> {
    /// The next main columns.
    pub(super) fn columns<const N: usize>(&mut self) -> [E::F; N] {
        std::array::from_fn(|_| self.eval.next_trace_mask())
    }

    /// A preprocessed column.
    pub(super) fn preprocessed(&mut self, id: String) -> E::F {
        self.eval.get_preprocessed_column(PreProcessedColumnId { id })
    }

    /// The value is zero.
    pub(super) fn constrain(&mut self, value: E::F) {
        self.eval.add_constraint(value);
    }

    /// Looks up a tuple of a kind.
    pub(super) fn uses<const N: usize>(&mut self, kind: u32, values: [E::F; N]) {
        self.add(E::EF::one(), kind, &values);
    }

    /// Answers lookups of a tuple of a kind, as many as the multiplicity says.
    pub(super) fn yields<const N: usize>(&mut self, multiplicity: E::F, kind: u32, values: [E::F; N]) {
        self.add(-E::EF::from(multiplicity), kind, &values);
    }

    /// Reads a wire, whose address a preprocessed column has.
    pub(super) fn uses_wire(&mut self, address: &str, value: &[E::F]) {
        self.add_wire(E::EF::one(), address, value);
    }

    /// The wire has this value, for as many readers as the multiplicity says.
    pub(super) fn yields_wire(&mut self, multiplicity: E::F, address: &str, value: &[E::F]) {
        self.add_wire(-E::EF::from(multiplicity), address, value);
    }

    fn add_wire(&mut self, multiplicity: E::EF, address: &str, value: &[E::F]) {
        let address = self.preprocessed(address.to_owned());
        let tuple: Vec<_> = std::iter::once(address).chain(value.iter().cloned()).collect();
        self.add(multiplicity, GATE, &tuple);
    }

    fn add(&mut self, multiplicity: E::EF, kind: u32, values: &[E::F]) {
        let tuple: Vec<_> = std::iter::once(number::<E>(kind)).chain(values.iter().cloned()).collect();
        self.eval.add_to_relation(RelationEntry::new(self.tuples, multiplicity, &tuple));
    }
}
