//! The AIR that the malicious prover believes in: cairo-air's, without the constraints of a component, or with lookups
//! that add up to more than they do. A prover that looks at its own work finds nothing wrong by it.

use std::ops::Mul;

use cairo_air::claims::CairoClaim;
use cairo_air::components::{add_opcode, jnz_opcode_taken, range_check_builtin, ret_opcode, verify_instruction};
use cairo_air::relations::CommonLookupElements;
use circle_air::{AirComponent, SharedComponent, secure};
use field::QM31;
use num_traits::Zero;
use stwo::core::Fraction;
use stwo::core::fields::qm31::{SECURE_EXTENSION_DEGREE, SecureField};
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

/// How a component differs from the true one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changes {
    /// Its constraints are all zero, except the constraints of its lookups.
    pub(super) is_loose: bool,
    /// Added to each row's lookups.
    pub(super) surplus: Option<QM31>,
}

/// A component with changes; `None` if it cannot have any, or is not in the claim.
pub(super) fn changed(
    claim: &CairoClaim,
    name: &str,
    elements: CommonLookupElements,
    changes: Changes,
) -> Option<Box<dyn AirComponent>> {
    macro_rules! one_of {
        ($($component:ident)*) => {
            match name {
                $(stringify!($component) => {
                    let claim = claim.$component?;
                    let eval = $component::Eval { claim, common_lookup_elements: elements };
                    Some(Box::new(SharedComponent::new(Changed { eval, changes })))
                })*
                _ => None,
            }
        };
    }
    one_of!(add_opcode jnz_opcode_taken range_check_builtin ret_opcode verify_instruction)
}

/// An evaluator with changes.
struct Changed<E> {
    eval: E,
    changes: Changes,
}

impl<E: FrameworkEval> FrameworkEval for Changed<E> {
    fn log_size(&self) -> u32 {
        self.eval.log_size()
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.eval.max_constraint_log_degree_bound()
    }

    fn evaluate<V: EvalAtRow>(&self, eval: V) -> V {
        let Changes { is_loose, surplus } = self.changes;
        self.eval.evaluate(Row { eval, is_loose, surplus: surplus.map(secure) }).eval
    }
}

/// Hands everything on, except the changes.
struct Row<V> {
    eval: V,
    is_loose: bool,
    /// Goes into the first fraction.
    surplus: Option<SecureField>,
}

impl<V: EvalAtRow> EvalAtRow for Row<V> {
    type F = V::F;
    type EF = V::EF;

    fn next_interaction_mask<const N: usize>(&mut self, interaction: usize, offsets: [isize; N]) -> [V::F; N] {
        self.eval.next_interaction_mask(interaction, offsets)
    }

    fn get_preprocessed_column(&mut self, column: PreProcessedColumnId) -> V::F {
        self.eval.get_preprocessed_column(column)
    }

    fn add_constraint<G>(&mut self, constraint: G)
    where
        V::EF: Mul<G, Output = V::EF> + From<G>,
    {
        match self.is_loose {
            true => nothing(&mut self.eval),
            false => self.eval.add_constraint(constraint),
        }
    }

    fn add_intermediate(&mut self, value: V::F) -> V::F {
        self.eval.add_intermediate(value)
    }

    fn add_extension_intermediate(&mut self, value: V::EF) -> V::EF {
        self.eval.add_extension_intermediate(value)
    }

    fn combine_ef(values: [V::F; SECURE_EXTENSION_DEGREE]) -> V::EF {
        V::combine_ef(values)
    }

    fn write_logup_frac(&mut self, fraction: Fraction<V::EF, V::EF>) {
        let Fraction { numerator, denominator } = fraction;
        let numerator = match self.surplus.take() {
            Some(surplus) => numerator + denominator.clone() * surplus,
            None => numerator,
        };
        self.eval.write_logup_frac(Fraction::new(numerator, denominator));
    }

    fn finalize_logup_batched(&mut self, batching: &Vec<usize>) {
        self.eval.finalize_logup_batched(batching);
    }

    fn finalize_logup(&mut self) {
        self.eval.finalize_logup();
    }

    fn finalize_logup_in_pairs(&mut self) {
        self.eval.finalize_logup_in_pairs();
    }
}

/// A constraint that always holds.
fn nothing<V: EvalAtRow>(eval: &mut V) {
    eval.add_constraint(V::EF::zero());
}
