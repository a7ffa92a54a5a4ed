//! Poseidon252 of the contract against starknet-types-core, and its constants against their definition.

use field::M31;
use gpu_hal::HashFn;
use gpu_hal::hash::poseidon252::{self, CONSTANTS, Felt252, HALF_FULL_ROUNDS, MODULUS, PARTIAL_ROUNDS, WIDTH};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Poseidon, StarkHash};

fn peer(felt: Felt252) -> Felt {
    Felt::from_bytes_le(&felt.to_bytes())
}

fn ours(felt: Felt) -> Felt252 {
    Felt252::from_bytes(&felt.to_bytes_le()).expect("it is below p")
}

/// Any element; often one at the ends.
fn felt() -> impl Strategy<Value = Felt252> {
    let below = |less: u64| Felt252::ZERO - Felt252::from(less);
    prop_oneof![
        4 => any::<[u64; 4]>().prop_map(Felt252::reduced),
        1 => (0u64..3).prop_map(Felt252::from),
        1 => (1u64..3).prop_map(below),
        1 => (0u32..252).prop_map(|bit| {
            let mut limbs = [0; 4];
            limbs[bit as usize / 64] = 1 << (bit % 64);
            Felt252::reduced(limbs)
        }),
    ]
}

proptest! {
    #[test]
    fn arithmetic_is_that_of_the_field(a in felt(), b in felt()) {
        prop_assert_eq!(peer(a + b), peer(a) + peer(b));
        prop_assert_eq!(peer(a - b), peer(a) - peer(b));
        prop_assert_eq!(peer(a * b), peer(a) * peer(b));
        prop_assert_eq!(Felt252::from_limbs(a.limbs()), Some(a));
    }

    #[test]
    fn hashes_are_those_of_starknet(felts in prop::collection::vec(felt(), 0..7), a in felt(), b in felt(), c in felt()) {
        let mut state = [a, b, c];
        poseidon252::permute(&mut state);
        let mut expected = [a, b, c].map(peer);
        Poseidon::hades_permutation(&mut expected);
        prop_assert_eq!(state.map(peer), expected);
        prop_assert_eq!(peer(poseidon252::pair(a, b)), Poseidon::hash(&peer(a), &peer(b)));
        let peers: Vec<Felt> = felts.iter().copied().map(peer).collect();
        prop_assert_eq!(peer(poseidon252::sponge(&felts)), Poseidon::hash_array(&peers));
    }

    /// Eight elements a felt, the first one highest; of fewer there is the number, in bits that no element reaches.
    #[test]
    fn leaves_are_sponges_of_packed_elements(words in prop::collection::vec(0u32..0x7fff_ffff, 0..40)) {
        let felts: Vec<Felt> = words
            .chunks(8)
            .map(|words| {
                let packed = words.iter().fold(Felt::ZERO, |sum, word| sum * Felt::from(1u64 << 31) + Felt::from(*word));
                let length = if words.len() < 8 { words.len() } else { 0 };
                packed + Felt::from(length) * Felt::TWO.pow(248u64)
            })
            .collect();
        let leaf = HashFn::Poseidon252.leaf(words.iter().copied().map(M31::new));
        prop_assert_eq!(leaf, Poseidon::hash_array(&felts).to_bytes_le());
    }

    #[test]
    fn only_numbers_below_the_prime_are_digests(low in any::<[u64; 3]>(), top in MODULUS[3] - 2..=MODULUS[3] + 2) {
        let limbs = [low[0], low[1], low[2], top];
        let bytes: [u8; 32] = limbs.map(u64::to_le_bytes).concat().try_into().expect("32 bytes");
        let is_below = limbs.iter().rev().lt(MODULUS.iter().rev());
        prop_assert_eq!(HashFn::Poseidon252.is_digest(&bytes), is_below);
        prop_assert_eq!(Felt252::from_limbs(limbs).is_some(), is_below);
        prop_assert_eq!(peer(Felt252::reduced(limbs)), Felt::from_bytes_le(&bytes));
    }
}

#[test]
fn the_prime_is_no_digest() {
    let bytes = |limbs: [u64; 4]| limbs.map(u64::to_le_bytes).concat().try_into().expect("32 bytes");
    assert!(!HashFn::Poseidon252.is_digest(&bytes(MODULUS)));
    assert!(HashFn::Poseidon252.is_digest(&bytes([0, 0, 0, MODULUS[3]])));
}

/// Published values: the permutation of zeros, and the digest of 0 and a number of 64 bits, which stwo's channel has
/// after that number is mixed.
#[test]
fn values_are_those_that_are_published() {
    let mut state = [Felt252::ZERO; WIDTH];
    poseidon252::permute(&mut state);
    let expected = [
        "0x79e8d1e78258000a28fc9d49e233bc6852357968577b1e386550ed6a9086133",
        "0x3840d003d0f3f96dbb796ff6aa6a63be5b5404b91ccaabca256154cbb6fb984",
        "0x1eb39da3f7d3b04142d0ac83d9da00c9325a61fb2ef326e50b70eaa8a3c7cc7",
    ];
    assert_eq!(state.map(peer), expected.map(Felt::from_hex_unchecked));
    let digest = poseidon252::pair(Felt252::ZERO, 0x1111_2222_3333_4444_u64.into());
    let expected = "0x7cecc0ee3d858c843fe63165f038353f9f80f52dd8d32eead9f635e2f7d8b8e";
    assert_eq!(peer(digest), Felt::from_hex_unchecked(expected));
}

#[test]
fn constants_are_made_by_their_definition() {
    let of_round = |round: usize| -> [Felt; WIDTH] {
        std::array::from_fn(|element| {
            let text = format!("Hades{}", WIDTH * round + element);
            Felt::from_bytes_be(&Sha256::digest(text).into())
        })
    };
    let mut expected = Vec::new();
    // The remainders of earlier partial rounds, to be added to the first two elements, and the last.
    let mut left = [Felt::ZERO; WIDTH];
    for round in 0..2 * HALF_FULL_ROUNDS + PARTIAL_ROUNDS {
        let [a, b, c] = of_round(round);
        let [a, b, c] = [a + left[0], b + left[1], c + left[2]];
        if (HALF_FULL_ROUNDS..HALF_FULL_ROUNDS + PARTIAL_ROUNDS).contains(&round) {
            expected.push(c);
            left = [a * Felt::THREE + b, a - b, a + b];
        } else {
            expected.extend([a, b, c]);
            left = [Felt::ZERO; WIDTH];
        }
    }
    assert_eq!(expected.len(), CONSTANTS);
    assert_eq!(poseidon252::ROUND_CONSTANTS.to_vec(), expected.into_iter().map(ours).collect::<Vec<_>>());
}
