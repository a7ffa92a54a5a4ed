//! p3-uni-stark's prover as its own examples set it up for speed, with the parameters that are compared.

use std::marker::PhantomData;

use p3_challenger::{DuplexChallenger, HashChallenger, SerializingChallenger32, SerializingChallenger64};
use p3_circle::CirclePcs;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::Field;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::Goldilocks;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_mersenne_31::{Mersenne31, Poseidon2Mersenne31, default_mersenne31_poseidon2_16};
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation};
use p3_uni_stark::StarkConfig;

use crate::{LOG_BLOWUP, POW_BITS, QUERIES};

/// Keccak-f in overwrite mode over words, as many states at once as a vector has words: the fastest Merkle trees of
/// Plonky3 without arithmetic.
type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type KeccakMmcs<F> = MerkleTreeMmcs<
    [F; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;

fn keccak_trees<F>() -> KeccakMmcs<F> {
    let sponge = Sponge::new(KeccakF {});
    KeccakMmcs::new(SerializingHasher::new(sponge), CompressionFunctionFromHasher::new(sponge), 0)
}

fn fri<M>(mmcs: M) -> FriParameters<M> {
    FriParameters {
        log_blowup: LOG_BLOWUP as usize,
        log_final_poly_len: 0,
        max_log_arity: 3,
        num_queries: QUERIES as usize,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: POW_BITS as usize,
        mmcs,
    }
}

type GoldilocksExt = BinomialExtensionField<Goldilocks, 2>;
pub(crate) type GoldilocksConfig = StarkConfig<
    TwoAdicFriPcs<
        Goldilocks,
        Radix2DitParallel<Goldilocks>,
        KeccakMmcs<Goldilocks>,
        ExtensionMmcs<Goldilocks, GoldilocksExt, KeccakMmcs<Goldilocks>>,
    >,
    GoldilocksExt,
    SerializingChallenger64<Goldilocks, HashChallenger<u8, Keccak256Hash, 32>>,
>;

/// Goldilocks with FRI and Keccak trees.
pub(crate) fn goldilocks() -> GoldilocksConfig {
    let trees = keccak_trees();
    let parameters = fri(ExtensionMmcs::new(trees.clone()));
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::default(), trees, parameters);
    StarkConfig::new(pcs, SerializingChallenger64::from_hasher(Vec::new(), Keccak256Hash {}))
}

type MersenneExt = BinomialExtensionField<Mersenne31, 3>;
type Circle<M> = CirclePcs<Mersenne31, M, ExtensionMmcs<Mersenne31, MersenneExt, M>>;

fn circle<M: Clone>(trees: M) -> Circle<M> {
    // Its folds are of two points at a time.
    let parameters = FriParameters { max_log_arity: 1, ..fri(ExtensionMmcs::new(trees.clone())) };
    CirclePcs { mmcs: trees, fri_params: parameters, _phantom: PhantomData }
}

pub(crate) type KeccakCircleConfig = StarkConfig<
    Circle<KeccakMmcs<Mersenne31>>,
    MersenneExt,
    SerializingChallenger32<Mersenne31, HashChallenger<u8, Keccak256Hash, 32>>,
>;

/// Mersenne31 on the circle with Keccak trees.
pub(crate) fn keccak_circle() -> KeccakCircleConfig {
    let challenger = SerializingChallenger32::from_hasher(Vec::new(), Keccak256Hash {});
    StarkConfig::new(circle(keccak_trees()), challenger)
}

type Perm = Poseidon2Mersenne31<16>;
type Packing = <Mersenne31 as Field>::Packing;
type Poseidon2Mmcs =
    MerkleTreeMmcs<Packing, Packing, PaddingFreeSponge<Perm, 16, 8, 8>, TruncatedPermutation<Perm, 2, 8, 16>, 2, 8>;

pub(crate) type Poseidon2CircleConfig =
    StarkConfig<Circle<Poseidon2Mmcs>, MersenneExt, DuplexChallenger<Mersenne31, Perm, 16, 8>>;

/// Mersenne31 on the circle with trees and transcript of Poseidon2.
pub(crate) fn poseidon2_circle() -> Poseidon2CircleConfig {
    let perm = default_mersenne31_poseidon2_16();
    let trees = Poseidon2Mmcs::new(PaddingFreeSponge::new(perm.clone()), TruncatedPermutation::new(perm.clone()), 0);
    StarkConfig::new(circle(trees), DuplexChallenger::new(perm))
}
