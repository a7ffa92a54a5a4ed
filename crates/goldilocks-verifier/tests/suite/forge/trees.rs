//! Leaves that are taken for nodes and the other way round: nothing in a digest tells them apart.

use adversary::liar::goldilocks::{Cheat, Claimed, Cubic, Drawn, nodes_as_leaves, prove};
use air::airs::Wide;
use air::record;
use goldilocks_proof::merkle::{PathError, leaf_digest};
use goldilocks_proof::{Proof, Seed, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, verify};
use gpu_hal::HashFn;

/// Opens nodes one level up as leaves, with paths that are one shorter; the digests are right.
struct NodesAsLeaves {
    hash: HashFn,
    opened: usize,
}
impl Cheat for NodesAsLeaves {
    fn finish(&mut self, proof: &mut Proof<Cubic>, _: &Drawn) {
        self.opened += nodes_as_leaves(self.hash, &mut proof.deep_openings);
    }
}

#[test]
fn nodes_are_no_leaves() {
    let air = Wide::new(8, 8, 2).expect("possible");
    let recorded = record::<Cubic, _>(&air).expect("valid");
    let options = lambdaworks::Options {
        blowup: 4,
        queries: 1,
        grinding: 0,
        coset_offset: 3,
        suite: goldilocks_proof::Suite::Keccak256,
    };
    let claimed = Claimed { air: &air, options, seed: Seed::Default };
    let mut cheat = NodesAsLeaves { hash: HashFn::Keccak256, opened: 0 };
    let (proof, _) = prove(&claimed, &air::ExampleAir::<Cubic>::trace(&air), &mut cheat);
    assert_eq!(cheat.opened, 1, "the same preimage is a node and a leaf");
    // The arithmetic refuses it first; the path would.
    let result = verify(&recorded, &options, Seed::Default, &proof, &Policy::ANY);
    assert_eq!(result, Err(VerifyError::LastValue { query: 0 }));
    let claim = goldilocks_proof::merkle::Claim {
        index: 0,
        leaf: leaf_digest(HashFn::Keccak256, &proof.deep_openings[0].main.evaluations),
        path: &proof.deep_openings[0].main.path,
    };
    let result = goldilocks_proof::merkle::verify_paths(HashFn::Keccak256, &proof.main_root, 5, &[claim]);
    assert_eq!(result, Err((0, PathError::Length { expected: 5, found: 4 })));
}
