//! The components of a claim: cairo-air's evaluators.

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::components::{self, memory_id_to_big};
use cairo_air::relations::CommonLookupElements;
use circle_air::{AirComponent, Shared};
use num_traits::Zero;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::FrameworkEval;

use super::list::with_components;

/// The sizes of the chunks of big memory values.
fn big_log_sizes(claim: &CairoClaim) -> &[u32] {
    claim.memory_id_to_big.as_ref().map_or(&[], |claim| &claim.big_log_sizes)
}

/// Takes evaluators of different types, one after the other.
pub(crate) trait Visitor {
    /// The next one.
    fn take<E: FrameworkEval + Send + Sync + 'static>(&mut self, eval: E);
}

macro_rules! evaluators {
    (($claim:ident, $elements:ident, $first_id:ident, $visitor:ident) ($($before:ident)*) ($($after:ident)*)) => {
        macro_rules! visit {
            ($name:ident) => {
                if let Some(claim) = $claim.$name {
                    let common_lookup_elements = $elements.clone();
                    $visitor.take(components::$name::Eval { claim, common_lookup_elements });
                }
            };
        }
        $(visit!($before);)*
        let mut first_id = $first_id;
        for &log_size in big_log_sizes($claim) {
            $visitor.take(memory_id_to_big::BigEval::new(log_size, first_id, $elements.clone()));
            first_id += 1 << log_size;
        }
        $(visit!($after);)*
    };
}

/// Shows the evaluators of the enabled components in order. The ids of big values begin at `first_id`.
pub(crate) fn visit(claim: &CairoClaim, elements: &CommonLookupElements, first_id: u32, visitor: &mut impl Visitor) {
    with_components!(evaluators!(claim, elements, first_id, visitor));
}

impl Visitor for Vec<Box<dyn AirComponent>> {
    fn take<E: FrameworkEval + Send + Sync + 'static>(&mut self, eval: E) {
        self.push(Box::new(Shared::new(eval)));
    }
}

/// The enabled components in order. The ids of big values begin at `first_id`, which is 0 but in a variant of the statement.
pub(crate) fn components(
    claim: &CairoClaim,
    elements: &CommonLookupElements,
    first_id: u32,
) -> Vec<Box<dyn AirComponent>> {
    let mut all = Vec::new();
    visit(claim, elements, first_id, &mut all);
    all
}

macro_rules! interaction {
    (($claim:ident, $sums:ident) ($($before:ident)*) ($($after:ident)*)) => {{
        // In this order, as the sums come one after the other.
        $(let $before = $claim.$before.as_ref().and_then(|_| $sums.next())
            .map(|claimed_sum| components::$before::InteractionClaim { claimed_sum });)*
        let memory_id_to_big = $claim.memory_id_to_big.as_ref().map(|claim| {
            let big_claimed_sums: Vec<SecureField> = $sums.by_ref().take(claim.big_log_sizes.len()).collect();
            let claimed_sum = big_claimed_sums.iter().fold(SecureField::zero(), |sum, chunk| sum + *chunk);
            memory_id_to_big::InteractionClaim { big_claimed_sums, claimed_sum }
        });
        $(let $after = $claim.$after.as_ref().and_then(|_| $sums.next())
            .map(|claimed_sum| components::$after::InteractionClaim { claimed_sum });)*
        CairoInteractionClaim { $($before,)* memory_id_to_big, $($after,)* }
    }};
}

/// The claimed sums, one for each of [`components`], as a proof has them.
pub(crate) fn interaction_claim(claim: &CairoClaim, claimed_sums: &[SecureField]) -> CairoInteractionClaim {
    let mut sums = claimed_sums.iter().copied();
    with_components!(interaction!(claim, sums))
}
