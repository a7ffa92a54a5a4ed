//! Leaves that are taken for nodes and the other way round: nothing in a digest tells them apart.

use air::airs::Wide;
use air::record;
use field::{Goldilocks, PrimeField};
use gpu_hal::HashFn;
use proof::merkle::PathError;
use proof::{Proof, ProofOptions, Seed, TreeHash};
use verifier::{Policy, VerifyError, verify};

use crate::prover::{Cheat, Claimed, Cubic, Drawn, prove};

/// Two digests read as the eight elements of a leaf, if they are.
fn as_leaf(left: &[u8; 32], right: &[u8; 32]) -> Option<Vec<Goldilocks>> {
    let words = [left, right].into_iter().flat_map(|digest| digest.chunks_exact(8));
    words.map(|word| Goldilocks::from_canonical(u64::from_be_bytes(word.try_into().ok()?))).collect()
}

/// Opens nodes one level up as leaves, with paths that are one shorter; the digests are right.
struct NodesAsLeaves {
    hash: TreeHash,
    opened: usize,
}
impl Cheat for NodesAsLeaves {
    fn finish(&mut self, proof: &mut Proof<Cubic>, drawn: &Drawn) {
        for (opening, query) in proof.deep_openings.iter_mut().zip(&drawn.queries) {
            let main = &mut opening.main;
            let leaf = self.hash.leaf(&main.evaluations);
            let sibling = main.path[0];
            assert_eq!(
                sibling,
                self.hash.leaf(&main.evaluations_sym),
                "leaves 2i and 2i + 1 are siblings, query {query}"
            );
            let Some(values) = as_leaf(&leaf, &sibling) else { continue };
            assert_eq!(Some(self.hash.leaf(&values)), self.hash.node(&leaf, &sibling));
            main.evaluations = values;
            main.path.remove(0);
            self.opened += 1;
        }
    }
}

#[test]
fn nodes_as_leaves() {
    let air = Wide::new(8, 8, 2).expect("possible");
    let recorded = record::<Cubic, _>(&air).expect("valid");
    let options = ProofOptions { blowup: 4, queries: 1, grinding: 0, coset_offset: 3, hash: HashFn::Keccak256 };
    let claimed = Claimed { air: &air, options, seed: Seed::Default };
    let mut cheat = NodesAsLeaves { hash: TreeHash::Keccak256, opened: 0 };
    let (proof, _) = prove(&claimed, &claimed.air.trace(), &mut cheat);
    assert_eq!(cheat.opened, 1, "the same preimage is a node and a leaf");
    // The arithmetic refuses it first; the path would.
    let result = verify(&recorded, &options, Seed::Default, &proof, &Policy::ANY);
    assert_eq!(result, Err(VerifyError::LastValue { query: 0 }));
    let claim = proof::merkle::Claim {
        index: 0,
        leaf: TreeHash::Keccak256.leaf(&proof.deep_openings[0].main.evaluations),
        path: &proof.deep_openings[0].main.path,
    };
    let result = proof::merkle::verify_paths(TreeHash::Keccak256, &proof.main_root, 5, &[claim]);
    assert_eq!(result, Err((0, PathError::Length { expected: 5, found: 4 })));
}
