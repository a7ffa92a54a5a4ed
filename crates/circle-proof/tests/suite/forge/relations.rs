//! Tuples that are used in one relation and yielded in another.

use adversary::liar::circle::{Honest, prove};
use circle_air::{AirComponent, ClaimedSumError, Statement, lookup_elements};
use circle_proof::VerifyError;
use field::{Field, M31, QM31};
use stwo::core::fields::m31::BaseField;
use stwo::core::verifier::VerificationError;
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, RelationEntry, relation};

use crate::forge::attacks::{WithSums, claimed};

relation!(Pairs, 2);

/// Both components have the same pairs. One uses them in one relation, the other yields them.
struct Exchange {
    /// The relation of the used pairs, and the relation of the yielded ones.
    relations: [usize; 2],
}

#[derive(Clone)]
struct Side {
    multiplicity: BaseField,
    pairs: Pairs,
}

impl FrameworkEval for Side {
    fn log_size(&self) -> u32 {
        3
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        4
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let pair: [E::F; 2] = std::array::from_fn(|_| eval.next_trace_mask());
        let multiplicity = E::EF::from(E::F::from(self.multiplicity));
        eval.add_to_relation(RelationEntry::new(&self.pairs, multiplicity, &pair));
        eval.finalize_logup();
        eval
    }
}

impl Statement for Exchange {
    fn name(&self) -> &str {
        "exchange"
    }

    fn words(&self) -> Vec<u32> {
        vec![101]
    }

    fn draws(&self) -> usize {
        4
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let one = BaseField::from(1);
        let sides = self.relations.into_iter().zip([one, -one]);
        let side = |(relation, multiplicity)| -> Box<dyn AirComponent> {
            let elements: LookupElements<2> = lookup_elements(drawn, relation);
            Box::new(Side { multiplicity, pairs: Pairs(elements) })
        };
        sides.map(side).collect()
    }

    /// The used pairs are the yielded ones.
    fn check_claimed_sums(&self, _: &[QM31], sums: &[QM31]) -> Result<(), ClaimedSumError> {
        let total: QM31 = sums.iter().copied().sum();
        match total == QM31::ZERO {
            true => Ok(()),
            false => Err(ClaimedSumError::Value { claimed: total.to_string(), expected: "0".to_owned() }),
        }
    }
}

#[test]
fn tuples_of_another_relation_do_not_cancel() {
    let pair = |coordinate: u32| (0..8).map(|row| M31::new(row * row + 3 * coordinate)).collect::<Vec<_>>();
    let trace = vec![vec![pair(0), pair(1)]; 2];
    for relations in [[0, 0], [1, 1], [0, 1], [1, 0]] {
        let statement = Exchange { relations };
        let result = claimed(&statement).attack(&trace, &mut Honest);
        if relations[0] == relations[1] {
            assert!(result.is_ok(), "{relations:?}: {result:?}");
            // The honest proof is one of this relation only.
            let forged = prove(&claimed(&statement), &trace, &mut Honest);
            let other = Exchange { relations: relations.map(|relation| 1 - relation) };
            assert!(claimed(&other).check(&forged).is_err(), "{relations:?}: of the other relation");
            continue;
        }
        let error = result.unwrap_err();
        assert!(matches!(error, VerifyError::ClaimedSums(ClaimedSumError::Value { .. })), "{relations:?}: {error:?}");
        // With a total that is right one of the sums is not its column's.
        let mut cheat = WithSums { sums: Some(QM31::ZERO), inner: Honest };
        let error = claimed(&statement).attack(&trace, &mut cheat).unwrap_err();
        assert!(matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching)), "{relations:?}: {error:?}");
    }
}
