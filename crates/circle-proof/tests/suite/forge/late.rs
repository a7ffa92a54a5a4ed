//! Things chosen after the challenge that must not be known when they are chosen. Each of these proofs is right by the
//! challenges that its prover drew: a verifier that left the thing out of its transcript would accept it.

use std::collections::BTreeMap;

use adversary::liar::circle::{Cheat, Claimed, Honest, Identity, Samples, Table, choose_values, prove, solve};
use circle_air::airs::stated;
use circle_air::{ClaimedSumError, Statement};
use circle_proof::{CircleOptions, Committed, VerifyError};
use field::{Field, M31, QM31};
use stwo::core::fri::FriVerificationError;
use stwo::core::verifier::VerificationError;

use crate::forge::attacks::{air, broken_trace, options};

/// No work, so that it is not the nonce that fails.
fn claimed(statement: &dyn Statement) -> Claimed<'_> {
    Claimed { statement, options: CircleOptions { pow_bits: 0, ..options() } }
}

/// The last layer is of low degree, as the prover's own queries would find.
fn assert_low(coefficients: &[QM31]) {
    assert!(coefficients[1 << options().log_last..].iter().all(Field::is_zero), "the prover's own test passes");
}

fn is_identity(error: &VerifyError) -> bool {
    matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching))
}

/// Adds the missing value at the point to the left half.
struct LateComposition;
impl Cheat for LateComposition {
    fn at_point(&mut self, identity: &Identity<'_>, values: &Samples, halves: &mut Table) -> bool {
        let missing = identity.composition(values) - identity.claimed(values);
        for (half, missing) in halves.iter_mut().zip(missing.0) {
            half.iter_mut().for_each(|value| *value += missing);
        }
        true
    }
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        assert_eq!(identity.composition(values), identity.claimed(values), "the identity holds at the prover's point");
    }
    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        assert_low(coefficients);
    }
}

#[test]
fn a_composition_that_knows_the_point() {
    for air in [air("fibonacci", 4, &[]), air("wide-fibonacci", 4, &[("w", "5")])] {
        let error = claimed(&*air).attack(&broken_trace(&*air), &mut LateComposition).unwrap_err();
        assert!(is_identity(&error), "{}: {error:?}", air.name());
    }
}

/// Chooses two sums that cancel and with which the identity holds at the point, in which they are linear.
struct LateSums;
impl Cheat for LateSums {
    fn after_point(&mut self, missing: &dyn Fn(&[QM31]) -> QM31, sums: &mut Vec<QM31>) {
        let with = |sum: QM31| missing(&[sum, -sum]);
        let at_zero = with(QM31::ZERO);
        let sum = -at_zero * (with(QM31::ONE) - at_zero).inverse().expect("sums count");
        assert_eq!(with(sum), QM31::ZERO, "the identity holds at the prover's point");
        *sums = vec![sum, -sum];
    }
    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        assert_low(coefficients);
    }
}

#[test]
fn sums_that_know_the_point() {
    // A pair is looked up that is not in the table; the sums cancel all the same.
    let air = air("range-squares", 4, &[("table", "4")]);
    let mut trace = air.trace();
    trace[0][1][2] += M31::new(1);
    let error = claimed(&*air).attack(&trace, &mut LateSums).unwrap_err();
    assert!(is_identity(&error), "{error:?}");
}

/// Changes the values of the composition's columns at the point so that the identity holds and the quotient stays what
/// it is.
struct LateValues;
impl Cheat for LateValues {
    fn after_beta(&mut self, beta: QM31, identity: &Identity<'_>, values: &mut Samples) {
        choose_values(beta, identity, values);
        assert_eq!(identity.composition(values), identity.claimed(values), "the identity holds at the prover's point");
    }
    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        assert_low(coefficients);
    }
}

#[test]
fn out_of_domain_values_that_know_their_weights() {
    for air in [air("fibonacci", 4, &[]), air("wide-fibonacci", 4, &[("w", "5")])] {
        let error = claimed(&*air).attack(&broken_trace(&*air), &mut LateValues).unwrap_err();
        let first = matches!(
            error,
            VerifyError::Protocol(VerificationError::Fri(FriVerificationError::FirstLayerCommitmentInvalid { .. }))
        );
        assert!(first, "{}: {error:?}", air.name());
    }
}

#[test]
fn a_root_that_knows_the_elements_of_the_air() {
    // The root of a tree of hashes is in the claimed sum alone, in a sum of eight terms that has four coordinates.
    for name in ["poseidon2", "rpo-m31"] {
        let one = air(name, 3, &[]);
        let forged = prove(&claimed(&*one), &one.trace(), &mut Honest);
        let (roots, words) = (&forged.proof.commitments, one.words());
        let committed = Committed::begin(&claimed(&*one).options, &one.mixes(), roots[0], roots[1]);
        let (_, drawn) = committed.draw(None, 2);
        let alpha = drawn[1];
        let power = |index: usize| alpha.pow(index as u64 + 1);
        let wanted: QM31 = words[2..].iter().enumerate().map(|(index, &word)| power(index) * M31::new(word)).sum();
        let row = |row: usize| (0..8).map(|index| power(index).0[row]).chain([wanted.0[row]]).collect();
        let root = solve((0..4).map(row).collect());
        let other: Vec<u32> = words[..2].iter().copied().chain(root.iter().map(|value| value.value())).collect();
        assert_ne!(other, words);
        let other = stated(name, 3, &BTreeMap::new(), &other).unwrap();
        // With the elements that were drawn for the true root, the false one has the same sum.
        assert_eq!(other.check_claimed_sums(&drawn, &forged.sums), Ok(()));
        let error = claimed(&*other).check(&forged).unwrap_err();
        assert!(matches!(error, VerifyError::ClaimedSums(ClaimedSumError::Value { .. })), "{name}: {error:?}");
    }
}
