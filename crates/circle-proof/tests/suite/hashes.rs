//! The definitions of hash functions that stwo has, next to stwo's own.

use circle_proof::stwo_verifier::StwoHasher;
use field::M31;
use gpu_hal::{Digest, HashFn, NonceSearch};
use stwo::core::channel::{Blake2sChannelGeneric, Channel};
use stwo::core::fields::m31::BaseField;
use stwo::core::vcs::blake2_hash::Blake2sHasherGeneric;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasherGeneric;
use stwo::core::vcs_lifted::merkle_hasher::MerkleHasherLifted;
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleHasher;

/// Compares leaves of many lengths and the parents of their digests.
fn compare_trees<H: StwoHasher>(hash: HashFn) {
    let element = |i: u32| (i.wrapping_mul(0x9e37_79b9) >> 1) % 0x7fff_ffff;
    let mut last: Option<Digest> = None;
    for length in (0..40).chain([100, 333]) {
        let elements: Vec<u32> = (0..length).map(|i| element(i + 1000 * length)).collect();
        let mut hasher = H::default();
        hasher.update_leaf(&elements.iter().copied().map(BaseField::from_u32_unchecked).collect::<Vec<_>>());
        let expected = MerkleHasherLifted::finalize(hasher);
        let leaf = hash.leaf(elements.into_iter().map(M31::new));
        assert_eq!(leaf, H::from_stwo(&expected), "a leaf of {length} elements");
        if let Some(left) = last {
            let [left_of_stwo, right] = [&left, &leaf].map(|digest| H::to_stwo(digest).unwrap());
            let parent = H::hash_children((left_of_stwo, right));
            assert_eq!(hash.parent(&left, &leaf), Some(H::from_stwo(&parent)), "the parent of such leaves");
        }
        last = Some(leaf);
    }
}

/// Compares trees, and the nonces of some searches.
fn compare<const IS_M31: bool>(hash: HashFn) {
    compare_trees::<Blake2sMerkleHasherGeneric<IS_M31>>(hash);
    for seed in 0..4 {
        let mut channel = Blake2sChannelGeneric::<IS_M31>::default();
        channel.mix_u64(seed);
        for bits in [0_u32, 1, 4, 7, 10] {
            let mut prefix = Blake2sHasherGeneric::<IS_M31>::new();
            prefix.update(&0x1234_5678_u32.to_le_bytes());
            prefix.update(&[0; 12]);
            prefix.update(&channel.digest().0);
            prefix.update(&bits.to_le_bytes());
            let search = NonceSearch { hash, prefix: prefix.finalize().0, bits };
            for nonce in (0..2000).chain([1 << 20, 7 << 32 | 5]) {
                let expected = channel.verify_pow_nonce(bits, nonce);
                assert_eq!(search.is_work(nonce), expected, "nonce {nonce} of {bits} bits");
            }
        }
    }
}

#[test]
fn blake2s_is_that_of_stwo() {
    compare::<false>(HashFn::Blake2s);
}

#[test]
fn blake2s_m31_is_that_of_stwo() {
    compare::<true>(HashFn::Blake2sM31);
}

/// Its nonces are compared with the channel's.
#[test]
fn poseidon252_is_that_of_stwo() {
    compare_trees::<Poseidon252MerkleHasher>(HashFn::Poseidon252);
}

/// A word may be `p`, `p + 1`, `2p` or `2p + 1`, which random digests never show.
#[test]
fn words_are_reduced_wholly() {
    use stwo::core::vcs::blake2_hash::reduce_to_m31;
    let p = 0x7fff_ffff_u32;
    for word in [0, 1, p - 1, p, p + 1, 2 * p - 1, 2 * p, 2 * p + 1] {
        let mut digest = [0; 32];
        digest[4..8].copy_from_slice(&word.to_le_bytes());
        assert_eq!(HashFn::Blake2sM31.is_digest(&digest), reduce_to_m31(digest) == digest, "{word:#x}");
    }
}
