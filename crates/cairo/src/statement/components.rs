//! The components of a claim: cairo-air's evaluators.

use cairo_air::claims::{CairoClaim, CairoInteractionClaim};
use cairo_air::components::{self, memory_id_to_big};
use cairo_air::relations::CommonLookupElements;
use circle_air::{AirComponent, Shared};
use num_traits::Zero;
use stwo::core::fields::qm31::SecureField;

use super::list::with_components;

/// The sizes of the chunks of big memory values.
fn big_log_sizes(claim: &CairoClaim) -> &[u32] {
    claim.memory_id_to_big.as_ref().map_or(&[], |claim| &claim.big_log_sizes)
}

macro_rules! evaluators {
    (($claim:ident, $elements:ident, $first_id:ident) ($($before:ident)*) ($($after:ident)*)) => {{
        let mut all: Vec<Box<dyn AirComponent>> = Vec::new();
        macro_rules! add {
            ($name:ident) => {
                if let Some(claim) = $claim.$name {
                    let common_lookup_elements = $elements.clone();
                    all.push(Box::new(Shared::new(components::$name::Eval { claim, common_lookup_elements })));
                }
            };
        }
        $(add!($before);)*
        let mut first_id = $first_id;
        for &log_size in big_log_sizes($claim) {
            all.push(Box::new(Shared::new(memory_id_to_big::BigEval::new(log_size, first_id, $elements.clone()))));
            first_id += 1 << log_size;
        }
        $(add!($after);)*
        all
    }};
}

/// The enabled components in order. The ids of big values begin at `first_id`, which is 0 but in a variant of the statement.
pub(crate) fn components(
    claim: &CairoClaim,
    elements: &CommonLookupElements,
    first_id: u32,
) -> Vec<Box<dyn AirComponent>> {
    with_components!(evaluators!(claim, elements, first_id))
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
