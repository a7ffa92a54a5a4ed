//! A preprocessed tree that is lower than the common domain, so that several queries lead to one of its positions; and
//! one without columns.

use adversary::liar::circle::{Cheat, Claimed, prove};
use circle_proof::positions::preprocessed_positions;
use circle_proof::{CircleOptions, Proof, VerifyError};
use field::M31;

use crate::forge::attacks::{air, options};

/// Common domain and preprocessed tree: 32 rows look up in a table of 16, blowup 4.
const LOG_DOMAIN: u32 = 7;
const HEIGHT: u32 = 6;

/// Starts its search for a nonce somewhere, and opens the table's first column to another value in one query.
#[derive(Default)]
struct Opens {
    first_nonce: u64,
    other_value: Option<usize>,
    positions: Vec<usize>,
}
impl Cheat for Opens {
    fn first_nonce(&mut self) -> u64 {
        self.first_nonce
    }
    fn positions(&mut self, positions: &mut Vec<usize>) {
        self.positions.clone_from(positions);
    }
    fn finish(&mut self, proof: &mut Proof) {
        if let Some(query) = self.other_value {
            proof.queried_values[0][0][query] += M31::new(1);
        }
    }
}

/// The first nonce whose queries lead to such positions of the tree, and the positions if they are in order.
fn find(claimed: &Claimed<'_>, fits: impl Fn(&Option<Vec<usize>>) -> bool) -> (u64, Option<Vec<usize>>) {
    let trace = air("range-squares", 5, &[("table", "4")]).trace();
    let mapped = |nonce: u64| {
        let mut cheat = Opens { first_nonce: nonce, ..Opens::default() };
        let nonce = prove(claimed, &trace, &mut cheat).proof.proof_of_work;
        (nonce, preprocessed_positions(&cheat.positions, LOG_DOMAIN, HEIGHT).ok())
    };
    (0..500).map(mapped).find(|(_, positions)| fits(positions)).expect("one in a few")
}

#[test]
fn one_position_and_two_values() {
    let air = air("range-squares", 5, &[("table", "4")]);
    let claimed = Claimed { statement: &*air, options: CircleOptions { queries: 4, ..options() } };
    let repeated = |positions: &[usize]| positions.windows(2).position(|pair| pair[0] == pair[1]);
    let (first_nonce, positions) = find(&claimed, |positions| positions.as_deref().and_then(repeated).is_some());
    let query = positions.as_deref().and_then(repeated).expect("found") + 1;
    let attack = |other_value| {
        let mut cheat = Opens { first_nonce, other_value, ..Opens::default() };
        claimed.attack(&air.trace(), &mut cheat)
    };
    assert!(attack(None).is_ok());
    // stwo's verifier panics.
    let error = attack(Some(query)).unwrap_err();
    assert!(matches!(error, VerifyError::Repeated { query: found, column: 0 } if found == query), "{error:?}");
}

#[test]
fn positions_out_of_order() {
    let air = air("range-squares", 5, &[("table", "4")]);
    let claimed = Claimed { statement: &*air, options: CircleOptions { queries: 4, ..options() } };
    let (first_nonce, _) = find(&claimed, Option::is_none);
    let error = claimed.attack(&air.trace(), &mut Opens { first_nonce, ..Opens::default() }).unwrap_err();
    assert!(
        matches!(&error, VerifyError::Unsorted(e) if (e.height, e.log_domain) == (HEIGHT, LOG_DOMAIN)),
        "{error:?}"
    );
}

/// Gives the tree without columns another root.
struct OtherRoot;
impl Cheat for OtherRoot {
    fn finish(&mut self, proof: &mut Proof) {
        proof.commitments[0] = [7; 32];
    }
}

#[test]
fn the_root_of_nothing() {
    // stwo's verifier opens nothing of it, so any root would do.
    let air = air("wide-fibonacci", 4, &[("w", "5")]);
    let claimed = Claimed { statement: &*air, options: options() };
    let error = claimed.attack(&air.trace(), &mut OtherRoot).unwrap_err();
    assert!(matches!(error, VerifyError::EmptyRoot), "{error:?}");
}
