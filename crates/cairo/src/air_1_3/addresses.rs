//! `memory_address_to_id` in a variant of a statement.
//!
//! Its columns are about addresses that are a number of rows apart, and that number stands in its constraints. In a
//! variant it is another one, so that those constants are parameters: one program, and one kernel of a GPU, is for any
//! number of rows.

use cairo_air::components::memory_address_to_id::{Claim, MEMORY_ADDRESS_TO_ID_SPLIT};
use cairo_air::relations::{CommonLookupElements, MEMORY_ADDRESS_TO_ID_RELATION_ID};
use stwo::core::fields::m31::M31;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::{PreProcessedColumn, Seq};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry};

/// The component whose columns are one address further apart than it has rows.
pub(super) struct Moved {
    pub(super) claim: Claim,
    pub(super) elements: CommonLookupElements,
}

impl FrameworkEval for Moved {
    fn log_size(&self) -> u32 {
        self.claim.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size() + 1
    }

    /// The operations of cairo-air's evaluator, in their order: else the recording is refused.
    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let apart = (1 << self.log_size()) + 1;
        let number = eval.get_preprocessed_column(Seq::new(self.log_size()).id());
        let first = number + E::F::from(M31(1));
        for column in 0..MEMORY_ADDRESS_TO_ID_SPLIT as u32 {
            let [id, uses] = [(); 2].map(|()| eval.next_trace_mask());
            let address = first.clone() + E::F::from(M31(column * apart));
            let tuple = [E::F::from(MEMORY_ADDRESS_TO_ID_RELATION_ID), address, id];
            eval.add_to_relation(RelationEntry::new(&self.elements, E::EF::from(-uses), &tuple));
        }
        eval.finalize_logup_in_pairs();
        eval
    }
}
