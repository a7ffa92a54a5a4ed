//! Queries, openings, proof of work and lengths.

use adversary::liar::circle::{Cheat, Claimed, Honest, prove};
use circle_proof::{CircleOptions, Policy, PolicyError, Proof, VerifyError, encode, verify};
use stwo::core::fri::FriVerificationError;
use stwo::core::vcs_lifted::verifier::MerkleVerificationError;
use stwo::core::verifier::VerificationError;

use crate::forge::attacks::{air, claimed, options};

/// Changes the finished proof.
struct Finish(fn(&mut Proof));
impl Cheat for Finish {
    fn finish(&mut self, proof: &mut Proof) {
        (self.0)(proof);
    }
}

/// Opens other positions.
struct Positions(fn(&mut Vec<usize>));
impl Cheat for Positions {
    fn positions(&mut self, positions: &mut Vec<usize>) {
        (self.0)(positions);
    }
}

/// The verifier's answer to a change of the honest proof of a plonk.
fn refused(cheat: &mut dyn Cheat) -> VerifyError {
    let air = air("plonk", 4, &[]);
    claimed(&*air).attack(&air.trace(), cheat).unwrap_err()
}

fn is_root(error: &VerifyError) -> bool {
    matches!(error, VerifyError::Protocol(VerificationError::Merkle(MerkleVerificationError::RootMismatch)))
}

#[test]
fn trees_that_do_not_fit() {
    let changes: [fn(&mut Proof); 8] = [
        // Values of two queries, of two columns, of two trees of one shape.
        |p| p.queried_values[1].iter_mut().for_each(|column| column.swap(0, 1)),
        |p| p.queried_values[1].swap(1, 2),
        |p| p.queried_values[2].swap(0, 11),
        // Siblings out of order, of another tree, and with the root of another tree.
        |p| p.decommitments[1].swap(0, 1),
        |p| p.decommitments.swap(1, 2),
        |p| p.decommitments.swap(0, 3),
        |p| p.decommitments[2][0] = [7; 32],
        |p| p.queried_values[3].iter_mut().for_each(|column| column.reverse()),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let error = refused(&mut Finish(change));
        assert!(is_root(&error), "change {index}: {error:?}");
    }
}

#[test]
fn lists_that_are_too_short_or_too_long() {
    let changes: [fn(&mut Proof); 11] = [
        |p| p.decommitments[1].truncate(1),
        |p| p.decommitments[1].push([0; 32]),
        // As if the tree were one level lower, its nodes taken for leaves, or not there.
        |p| p.decommitments[1].clear(),
        |p| p.queried_values[1].iter_mut().for_each(|column| column.truncate(1)),
        |p| p.queried_values[1].iter_mut().for_each(|column| column.push(column[0])),
        |p| drop(p.queried_values[2].pop()),
        |p| p.sampled_values[2][11].truncate(1),
        |p| drop(p.fri_proof.inner_layers.pop()),
        |p| p.fri_proof.inner_layers.push(p.fri_proof.inner_layers[0].clone()),
        |p| p.fri_proof.first_layer.fri_witness.push(p.fri_proof.first_layer.fri_witness[0]),
        |p| p.fri_proof.last_layer = [&p.fri_proof.last_layer[..]; 2].concat(),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let error = refused(&mut Finish(change));
        assert!(matches!(error, VerifyError::Shape(_)), "change {index}: {error:?}");
    }
}

#[test]
fn other_positions() {
    let error = refused(&mut Positions(|positions| positions.truncate(10)));
    assert!(matches!(error, VerifyError::Shape(_)), "{error:?}");
    // As many siblings, other values: all positions moved by the symmetry of the tree.
    let error = refused(&mut Positions(|positions| {
        positions.iter_mut().for_each(|position| *position ^= 63);
        positions.sort_unstable();
    }));
    assert!(is_root(&error) || matches!(error, VerifyError::Shape(_)), "{error:?}");
}

/// Looks for a nonce from a number on, maybe for one that does not do the work.
struct Nonce {
    first: u64,
    is_lazy: bool,
}
impl Cheat for Nonce {
    fn first_nonce(&mut self) -> u64 {
        self.first
    }
    fn is_lazy(&self) -> bool {
        self.is_lazy
    }
}

#[test]
fn the_work_counts_and_not_the_order_of_the_search() {
    let error = refused(&mut Nonce { first: 0, is_lazy: true });
    assert!(matches!(error, VerifyError::ProofOfWork { bits: 3, .. }), "{error:?}");
    // A nonce that the search would not come to costs as much, so it is taken.
    let air = air("plonk", 4, &[]);
    let first = (1 << 40) | 0xFFF0_0000;
    let forged = prove(&claimed(&*air), &air.trace(), &mut Nonce { first, is_lazy: false });
    assert!(forged.proof.proof_of_work >= first);
    assert!(claimed(&*air).check(&forged).is_ok());
}

#[test]
fn a_configuration_that_the_policy_does_not_take() {
    let air = air("plonk", 4, &[]);
    for queries in [1, 24] {
        let claimed = Claimed { statement: &*air, options: CircleOptions { queries, ..options() } };
        let forged = prove(&claimed, &air.trace(), &mut Honest);
        assert!(claimed.check(&forged).is_ok());
        let error = verify(&*air, &forged.sums, &encode(&forged.proof), &Policy::default()).unwrap_err();
        assert!(matches!(error, VerifyError::Policy(PolicyError::Security { required: 100, .. })), "{error:?}");
    }
}

#[test]
fn a_configuration_that_says_more_than_was_done() {
    // Made with one query, no work; the proof says something else. The proof holds exactly what is mixed.
    let air = air("wide-fibonacci", 4, &[("w", "16")]);
    let made = CircleOptions { queries: 1, pow_bits: 0, ..options() };
    let claimed = Claimed { statement: &*air, options: made };
    let changes: [fn(&mut Proof); 5] = [
        |p| p.config.queries = 2,
        |p| p.config.pow_bits = 1,
        |p| p.config.log_blowup = 3,
        |p| p.config.fold_step = 2,
        |p| p.config.log_last = 0,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert!(claimed.attack(&air.trace(), &mut Finish(change)).is_err(), "change {index}");
    }
    assert!(claimed.attack(&air.trace(), &mut Honest).is_ok());
}

/// Packs leaves of FRI layers where the protocol does not, and does not where it does.
struct OtherLeaves;
impl Cheat for OtherLeaves {
    fn packs_otherwise(&self) -> bool {
        true
    }
}

#[test]
fn leaves_of_one_value_and_of_four() {
    let air = air("plonk", 4, &[]);
    for fold_step in [1, 2] {
        let claimed = Claimed { statement: &*air, options: CircleOptions { fold_step, ..options() } };
        let error = claimed.attack(&air.trace(), &mut OtherLeaves).unwrap_err();
        // By the number of siblings, or where that is the same by the root.
        let is_root = matches!(
            error,
            VerifyError::Protocol(VerificationError::Fri(FriVerificationError::FirstLayerCommitmentInvalid { .. }))
        );
        assert!(is_root || matches!(error, VerifyError::Shape(_)), "{error:?}");
    }
}
