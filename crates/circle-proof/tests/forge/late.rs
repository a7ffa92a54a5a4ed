//! Things chosen after the challenge that must not be known when they are chosen. Each of these proofs is right by the
//! challenges that its prover drew: a verifier that left the thing out of its transcript would accept it.

use std::collections::BTreeMap;

use circle_air::airs::stated;
use circle_air::{ClaimedSumError, Statement, qm31};
use circle_proof::{CircleOptions, Envelope, VerifyError};
use field::circle::CirclePoint;
use field::{Field, M31, QM31};
use stwo::core::fri::FriVerificationError;
use stwo::core::verifier::VerificationError;

use crate::attacks::{air, broken_trace, options};
use crate::prover::{Cheat, Claimed, Honest, Identity, Samples, prove, unit};
use crate::words::Table;

/// No work, so that it is not the nonce that fails.
fn claimed(statement: &dyn Statement) -> Claimed<'_> {
    Claimed { statement, options: CircleOptions { pow_bits: 0, ..options() } }
}

/// The last layer is of low degree: what the prover's own queries would find.
fn assert_low(coefficients: &[QM31]) {
    assert!(coefficients[1 << options().log_last..].iter().all(Field::is_zero), "the prover's own test passes");
}

fn is_identity(error: &VerifyError) -> bool {
    matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching))
}

/// Adds to the left half what is missing at the point.
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

/// Solutions of linear equations: `rows` of coefficients, each with its right side behind. Free unknowns are one.
fn solve(mut rows: Vec<Vec<M31>>) -> Vec<M31> {
    let unknowns = rows[0].len() - 1;
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..unknowns {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&row| !rows[row][column].is_zero()) else { continue };
        rows.swap(done, found);
        let scale = rows[done][column].inverse().expect("not zero");
        rows[done].iter_mut().for_each(|value| *value *= scale);
        let pivot = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != done) {
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(value, &pivot)| *value -= factor * pivot);
        }
        pivots.push(column);
    }
    assert_eq!(pivots.len(), rows.len(), "independent equations");
    let mut solution = vec![M31::ONE; unknowns];
    pivots.iter().for_each(|&pivot| solution[pivot] = M31::ZERO);
    for (row, &pivot) in rows.iter().zip(&pivots) {
        let known: M31 = row[..unknowns].iter().zip(&solution).map(|(&a, &x)| a * x).sum();
        solution[pivot] = row[unknowns] - known;
    }
    solution
}

/// Changes the values of the composition's columns at the point so that the identity holds and the quotient stays what it is: it
/// takes only the weighted sums of the values and of their conjugates.
struct LateValues {
    log_degree: u32,
}
impl Cheat for LateValues {
    fn after_beta(&mut self, beta: QM31, identity: &Identity<'_>, values: &mut Samples) {
        let missing = identity.composition(values) - identity.claimed(values);
        let composition = values.len() - 1;
        // Two samples of a column bring a third, of the period.
        let emitted = |column: &Vec<QM31>| if column.len() == 2 { 3 } else { column.len() };
        let before: usize = values[..composition].iter().flatten().map(emitted).sum();
        let right = CirclePoint::repeated_double_x(identity.point.x, self.log_degree - 1);
        // What one more in a coordinate of a column's value makes of the three sums.
        let effect = |unknown: usize| -> Vec<M31> {
            let (column, coordinate) = (unknown / 4, unknown % 4);
            let weight = beta.pow((before + column) as u64);
            let side = if column < 4 { QM31::ONE } else { right };
            let halves = [coordinate / 2 == 0, coordinate / 2 == 1]
                .map(|is_this| if is_this { weight * unit(coordinate % 2) } else { QM31::ZERO });
            let claimed = side * unit(column % 4) * unit(coordinate);
            halves.into_iter().chain([claimed]).flat_map(|sum| sum.0).collect()
        };
        let effects: Vec<Vec<M31>> = (0..32).map(effect).collect();
        let wanted: Vec<M31> = [QM31::ZERO, QM31::ZERO, missing].into_iter().flat_map(|sum| sum.0).collect();
        let row = |row: usize| effects.iter().map(|effect| effect[row]).chain([wanted[row]]).collect();
        let changes = solve((0..12).map(row).collect());
        for (value, change) in values[composition].iter_mut().zip(changes.chunks_exact(4)) {
            value[0] += QM31(std::array::from_fn(|coordinate| change[coordinate]));
        }
        assert_eq!(identity.composition(values), identity.claimed(values), "the identity holds at the prover's point");
    }
    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        assert_low(coefficients);
    }
}

#[test]
fn out_of_domain_values_that_know_their_weights() {
    for air in [air("fibonacci", 4, &[]), air("wide-fibonacci", 4, &[("w", "5")])] {
        let error = claimed(&*air).attack(&broken_trace(&*air), &mut LateValues { log_degree: 4 }).unwrap_err();
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
        let committed = Envelope::begin(&claimed(&*one).options, &one.mixes(), roots[0], roots[1]);
        let (_, drawn) = committed.draw(None, 2);
        let alpha = qm31(drawn[1]);
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
