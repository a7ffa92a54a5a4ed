//! The Poseidon2 of the contract against p3-goldilocks and p3-symmetric.

use field::{Field, Goldilocks};
use gpu_hal::hash::poseidon2;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks as Peer, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_symmetric::{
    CryptographicHasher, PaddingFreeSponge, Permutation, PseudoCompressionFunction, TruncatedPermutation,
};

fn values(seed: u64, count: usize) -> Vec<Goldilocks> {
    let edges = [0, 1, 2, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF, 0x1_0000_0000];
    let mut state = seed;
    (0..count)
        .map(|i| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = state ^ (state >> 29);
            Goldilocks::new(if (value >> 7).is_multiple_of(5) { edges[i % edges.len()] } else { value })
        })
        .collect()
}

fn peer(values: &[Goldilocks]) -> Vec<Peer> {
    values.iter().map(|x| Peer::from_u64(x.value())).collect()
}

fn ours(values: &[Peer]) -> Vec<u64> {
    values.iter().map(PrimeField64::as_canonical_u64).collect()
}

fn raw(values: &[Goldilocks]) -> Vec<u64> {
    values.iter().map(|x| x.value()).collect()
}

#[test]
fn permutation_is_that_of_plonky3() {
    let permutation = default_goldilocks_poseidon2_8();
    for seed in 0..200 {
        let input = values(seed, 8);
        let mut state: [Goldilocks; 8] = input.clone().try_into().expect("eight values");
        poseidon2::permute(&mut state);
        let mut expected: [Peer; 8] = peer(&input).try_into().expect("eight values");
        permutation.permute_mut(&mut expected);
        assert_eq!(raw(&state), ours(&expected), "seed {seed}");
    }
}

#[test]
fn sponge_and_compression_are_those_of_plonky3() {
    let permutation = default_goldilocks_poseidon2_8();
    let sponge = PaddingFreeSponge::<Poseidon2Goldilocks<8>, 8, 4, 4>::new(permutation.clone());
    let compress = TruncatedPermutation::<Poseidon2Goldilocks<8>, 2, 4, 8>::new(permutation);
    for length in 0..40 {
        let input = values(length as u64, length);
        let expected: [Peer; 4] = sponge.hash_iter(peer(&input));
        let digest = poseidon2::hash(input);
        assert_eq!(raw(&digest), ours(&expected), "length {length}");

        let other: [Goldilocks; 4] = values(1000 + length as u64, 4).try_into().expect("four values");
        let pair = [expected, peer(&other).try_into().expect("four values")];
        assert_eq!(raw(&poseidon2::compress(digest, other)), ours(&compress.compress(pair)), "length {length}");
    }
}

#[test]
fn digest_bytes_are_canonical_and_big_endian() {
    let digest = [1, 2, 3, 0xFFFF_FFFF_0000_0000].map(Goldilocks::new);
    let bytes = poseidon2::to_bytes(digest);
    assert_eq!(bytes[..8], [0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(bytes[24..], [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
    assert_eq!(poseidon2::from_bytes(&bytes), Some(digest));
    let mut lazy = bytes;
    lazy[31] = 1; // p itself, which is zero in disguise
    assert_eq!(poseidon2::from_bytes(&lazy), None);
    assert!(digest.iter().all(Field::is_canonical));
}
