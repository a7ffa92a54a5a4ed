//! Lookups: claimed sums, multiplicities and interaction columns that do not follow from the trace.

use std::sync::Arc;

use adversary::liar::circle::{Cheat, Honest, Table, prove};
use circle_air::ClaimedSumError;
use circle_air::airs::ShippedAir;
use circle_proof::VerifyError;
use field::{M31, QM31};
use stwo::core::verifier::VerificationError;

use crate::forge::attacks::{WithSums, air, claimed};

fn with_lookups() -> Vec<Arc<dyn ShippedAir>> {
    vec![
        air("plonk", 4, &[]),
        air("range-squares", 4, &[("table", "4")]),
        air("range-squares", 3, &[("table", "5")]),
        air("poseidon2", 3, &[]),
        air("rpo-m31", 3, &[]),
    ]
}

fn is_identity(error: &VerifyError) -> bool {
    matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching))
}

fn is_sum(error: &VerifyError) -> bool {
    matches!(error, VerifyError::ClaimedSums(ClaimedSumError::Value { .. }))
}

/// Changes the sums, and nothing else.
struct OtherSums(fn(&mut Vec<QM31>));
impl Cheat for OtherSums {
    fn interaction(&mut self, sums: &mut Vec<QM31>, _: &mut Table) {
        (self.0)(sums);
    }
}

#[test]
fn sums_that_are_mixed_and_wrong() {
    for air in with_lookups() {
        let claimed = claimed(&*air);
        let error = claimed.attack(&air.trace(), &mut OtherSums(|sums| sums[0] += M31::new(1).into())).unwrap_err();
        assert!(is_sum(&error), "{error:?}");
    }
    // The total of two stays right, and each is another's.
    let swap: fn(&mut Vec<QM31>) = |sums| sums.swap(0, 1);
    let shift: fn(&mut Vec<QM31>) = |sums| {
        sums[0] += QM31::from(M31::new(1));
        sums[1] -= QM31::from(M31::new(1));
    };
    for change in [swap, shift] {
        let air = air("range-squares", 4, &[("table", "4")]);
        let error = claimed(&*air).attack(&air.trace(), &mut OtherSums(change)).unwrap_err();
        assert!(is_identity(&error), "{error:?}");
    }
}

#[test]
fn sums_that_are_not_what_was_mixed() {
    for air in with_lookups() {
        let claimed = claimed(&*air);
        let mut forged = prove(&claimed, &air.trace(), &mut Honest);
        let honest = forged.sums.clone();
        assert!(claimed.check(&forged).is_ok());
        let mut refused = |sums: Vec<QM31>| {
            forged.sums = sums;
            claimed.check(&forged).unwrap_err()
        };
        let count = |error| matches!(error, VerifyError::ClaimedSums(ClaimedSumError::Count { .. }));
        assert!(count(refused(Vec::new())));
        assert!(count(refused([&honest[..], &[QM31::default()]].concat())));
        // The same element with a coordinate that is not reduced would be mixed as other bytes.
        let mut above = honest[0];
        above.0[0] = bytemuck::cast(above.0[0].value() + 0x7FFF_FFFF);
        let unreduced = std::iter::once(above).chain(honest[1..].iter().copied()).collect();
        assert!(matches!(refused(unreduced), VerifyError::ClaimedSumNotCanonical { index: 0 }));
        if honest.len() == 2 {
            // In order, the total right: only the transcript tells them apart.
            let error = refused(vec![honest[1], honest[0]]);
            assert!(!matches!(error, VerifyError::ClaimedSums(_)), "{error:?}");
        }
    }
}

/// Commits to interaction columns that have nothing to do with the trace, with sums that the statement takes.
struct NoInteraction;
impl Cheat for NoInteraction {
    fn interaction(&mut self, _: &mut Vec<QM31>, columns: &mut Table) {
        columns.iter_mut().for_each(|column| column.fill(M31::new(0)));
    }
}

#[test]
fn interaction_columns_of_another_trace() {
    for air in with_lookups() {
        let error = claimed(&*air).attack(&air.trace(), &mut NoInteraction).unwrap_err();
        assert!(is_identity(&error), "{error:?}");
    }
}

#[test]
fn other_multiplicities() {
    // Cells of the table, of wires.
    for (air, component, column) in [
        (air("range-squares", 4, &[("table", "4")]), 1, 0),
        (air("range-squares", 3, &[("table", "5")]), 1, 0),
        (air("plonk", 4, &[]), 0, 0),
    ] {
        let mut trace = air.trace();
        trace[component][column][3] += M31::new(1);
        let error = claimed(&*air).attack(&trace, &mut Honest).unwrap_err();
        assert!(is_sum(&error), "{error:?}");
        if component == 1 {
            // With a total that is right the column's end does not meet its beginning.
            let mut cheat = WithSums { sums: Some(QM31::default()), inner: Honest };
            let error = claimed(&*air).attack(&trace, &mut cheat).unwrap_err();
            assert!(is_identity(&error), "{error:?}");
        }
    }
}

#[test]
fn a_pair_that_is_not_in_the_table() {
    // The trace claims that 5 squared is 26; the table cannot, however often it is used.
    let air = air("range-squares", 4, &[("table", "4")]);
    let mut trace = air.trace();
    trace[0][1][2] += M31::new(1);
    let error = claimed(&*air).attack(&trace, &mut Honest).unwrap_err();
    assert!(is_sum(&error), "{error:?}");
    let mut cheat = WithSums { sums: Some(QM31::default()), inner: Honest };
    let error = claimed(&*air).attack(&trace, &mut cheat).unwrap_err();
    assert!(is_identity(&error), "{error:?}");
}

#[test]
fn another_root_of_the_hashes() {
    // The honest proof of one root, under the statement of another: words and sum differ.
    for name in ["poseidon2", "rpo-m31"] {
        let (one, other) = (air(name, 3, &[]), air(name, 3, &[("s", "1")]));
        let mut cheat = OtherWords(other.words());
        let forged = prove(&claimed(&*one), &one.trace(), &mut cheat);
        let error = claimed(&*other).check(&forged).unwrap_err();
        assert!(is_sum(&error), "{name}: {error:?}");
        assert_ne!(forged.sums, [QM31::default()]);
    }
}

/// Mixes the words of another statement.
struct OtherWords(Vec<u32>);
impl Cheat for OtherWords {
    fn words(&mut self, words: &mut Vec<u32>) {
        words.clone_from(&self.0);
    }
}
