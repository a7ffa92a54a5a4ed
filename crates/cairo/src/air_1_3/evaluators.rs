//! The components of a claim: cairo-air's evaluators.

use cairo_air::claims::CairoClaim;
use cairo_air::components;
use cairo_air::relations::CommonLookupElements;
use circle_air::{AirComponent, SharedComponent};
use stwo_constraint_framework::FrameworkEval;

use super::addresses::Moved;
use super::with_components;

/// Takes evaluators of different types, one after the other.
pub(crate) trait Visitor {
    /// The next one.
    fn take<E: FrameworkEval + Send + Sync + 'static>(&mut self, eval: E);
}

macro_rules! evaluators {
    (
        ($claim:ident, $elements:ident, $first_id:ident, $visitor:ident)
        $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*
    ) => {
        $(evaluators!(@$shape $name, $claim, $elements, $first_id, $visitor);)*
    };
    (@chunks $name:ident, $claim:ident, $elements:ident, $first_id:ident, $visitor:ident) => {
        let mut first_id = $first_id;
        for &log_size in $claim.$name.iter().flat_map(|claim| &claim.big_log_sizes) {
            $visitor.take(components::$name::BigEval::new(log_size, first_id, $elements.clone()));
            first_id += 1 << log_size;
        }
    };
    (@numbered memory_address_to_id, $claim:ident, $elements:ident, $first_id:ident, $visitor:ident) => {
        if let Some(claim) = $claim.memory_address_to_id {
            let elements = $elements.clone();
            match $first_id {
                0 => $visitor.take(components::memory_address_to_id::Eval { claim, common_lookup_elements: elements }),
                _ => $visitor.take(Moved { claim, elements }),
            }
        }
    };
    (@$other:ident $name:ident, $claim:ident, $elements:ident, $first_id:ident, $visitor:ident) => {
        if let Some(claim) = $claim.$name {
            $visitor.take(components::$name::Eval { claim, common_lookup_elements: $elements.clone() });
        }
    };
}

/// Shows the evaluators of the components that a claim has, in order. The ids of big values begin at `first_id`: 0,
/// except in a variant of the statement.
pub(crate) fn visit(claim: &CairoClaim, elements: &CommonLookupElements, first_id: u32, visitor: &mut impl Visitor) {
    with_components!(evaluators!(claim, elements, first_id, visitor));
}

impl Visitor for Vec<Box<dyn AirComponent>> {
    fn take<E: FrameworkEval + Send + Sync + 'static>(&mut self, eval: E) {
        self.push(Box::new(SharedComponent::new(eval)));
    }
}

/// The components that a claim has, in order. The ids of big values begin at `first_id`: 0, except in a variant of the
/// statement.
pub(super) fn components(
    claim: &CairoClaim,
    elements: &CommonLookupElements,
    first_id: u32,
) -> Vec<Box<dyn AirComponent>> {
    let mut all = Vec::new();
    visit(claim, elements, first_id, &mut all);
    all
}
