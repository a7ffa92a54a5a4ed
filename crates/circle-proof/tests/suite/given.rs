//! Interaction columns that a statement gives itself: the security of their argument is as the statement says.

use circle_air::{AirComponent, ClaimedSumError, Statement};
use circle_proof::{CircleOptions, security};
use field::QM31;
use proof_format::security::{Bits, Limit};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

/// An interaction column that is the main one.
#[derive(Clone)]
struct Same;

impl FrameworkEval for Same {
    fn log_size(&self) -> u32 {
        4
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        5
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let value = eval.next_trace_mask();
        let [given] = eval.next_interaction_mask(2, [0]);
        eval.add_constraint(given - value);
        eval
    }
}

/// A statement of that degree, if anybody knows it.
struct Given(Option<u64>);

impl Statement for Given {
    fn name(&self) -> &str {
        "given"
    }

    fn words(&self) -> Vec<u32> {
        Vec::new()
    }

    fn draws(&self) -> usize {
        2
    }

    fn components(&self, _: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Same)]
    }

    fn interaction_degree(&self) -> Option<u64> {
        self.0
    }

    fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> {
        Ok(())
    }
}

#[test]
fn columns_that_a_statement_gives_are_worth_what_it_says() {
    let worth = |degree| security(&Given(degree), &CircleOptions::default()).unwrap().claimed;
    let by_challenges = |bits| Bits { bits, limit: Limit::Challenges };
    // An extension of 124 bits, less a little: p is below 2^31.
    assert_eq!(worth(Some(1 << 60)), by_challenges(63));
    // An unknown degree counts as 2^64.
    assert_eq!(worth(None), by_challenges(59));
    assert_ne!(worth(Some(1)).limit, Limit::Challenges);
}
