//! The encoding against bincode on stwo's own derived impls, and bytes that are no encoding.

use adversary::liar::circle::{Claimed, Honest, prove};
use circle_proof::codec::{DecodeErrorKind, decode, decode_config, encode};
use circle_proof::stwo_verifier::{from_stwo, to_stwo};
use circle_proof::{CircleOptions, Suite};
use golden::circle::{air, vector, vectors};
use stwo::core::proof::StarkProof;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleHasher;

#[test]
fn the_bytes_are_those_of_bincode() {
    for vector in vectors() {
        let proof = decode(&vector.proof, Suite::default()).unwrap();
        assert!(encode(&proof) == vector.proof, "{}", vector.name);
        let config = bincode::config::legacy();
        let (theirs, length): (StarkProof<Blake2sMerkleHasher>, usize) =
            bincode::serde::decode_from_slice(&vector.proof, config).unwrap();
        assert_eq!(length, vector.proof.len(), "{}", vector.name);
        assert!(from_stwo(&theirs, Suite::default()).unwrap() == proof, "{}", vector.name);
        assert_eq!(decode_config(&vector.proof[..29], Suite::default()).unwrap(), proof.config, "{}", vector.name);
        let ours: StarkProof<Blake2sMerkleHasher> = to_stwo(proof);
        assert!(bincode::serde::encode_to_vec(&ours, config).unwrap() == vector.proof, "{}", vector.name);
    }
}

/// Felts are written as stwo's serde writes them.
#[test]
fn the_bytes_of_felts_are_those_of_bincode() {
    let air = air("plonk", 4, "v0=2;v1=3");
    let options = CircleOptions { suite: Suite::Poseidon252, fold_step: 2, ..golden::circle::options() };
    let proof = prove(&Claimed { statement: &*air, options }, &air.trace(), &mut Honest).proof;
    let bytes = encode(&proof);
    let config = bincode::config::legacy();
    let theirs: StarkProof<Poseidon252MerkleHasher> = to_stwo(proof.clone());
    assert!(bincode::serde::encode_to_vec(&theirs, config).unwrap() == bytes);
    assert!(from_stwo(&theirs, options.suite).unwrap() == proof);
    assert!(decode(&bytes, options.suite).unwrap() == proof);
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length], options.suite).is_err(), "{length}");
    }
    // The first root, behind a configuration without lifting and the number of roots: another text of the same felt.
    let at = 25 + 8;
    let longer = u64::from_le_bytes(*bytes[at..].first_chunk().unwrap()) + 1;
    let changed = [&bytes[..at], &longer.to_le_bytes(), b"0", &bytes[at + 8..]].concat();
    let error = decode(&changed, options.suite).unwrap_err();
    assert_eq!((error.offset, error.kind), (at, DecodeErrorKind::Digest));
}

#[test]
fn no_prefix_and_no_longer_string_is_an_encoding() {
    let bytes = vector("plonk_n5_b1_q9_f2_l2_p6_L8").proof;
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length], Suite::default()).is_err(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = decode(&longer, Suite::default()).unwrap_err();
    assert_eq!((error.offset, error.kind), (bytes.len(), DecodeErrorKind::TrailingBytes));
}

#[test]
fn an_encoding_is_of_one_proof_only() {
    // Any byte may be changed: either the bytes are no encoding or that of the proof that they decode to.
    let bytes = vector("range-squares_n4-t6_b2_q5_f2_l2_p8").proof;
    let mut refused = 0;
    for index in 0..bytes.len() {
        for mask in [1, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[index] ^= mask;
            match decode(&changed, Suite::default()) {
                Ok(proof) => assert!(encode(&proof) == changed, "byte {index}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000);
}

#[test]
fn elements_are_canonical() {
    let vector = vector("fibonacci_n4_b1_q3_f1_l0_p5");
    // The first sampled value of the first column of the first tree: after the configuration, 3 roots and three
    // lengths.
    let at = 25 + 8 + 3 * 32 + 3 * 8;
    let mut bytes = vector.proof;
    assert!(decode(&bytes, Suite::default()).is_ok());
    bytes[at..at + 4].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let error = decode(&bytes, Suite::default()).unwrap_err();
    assert_eq!((error.offset, error.kind), (at, DecodeErrorKind::NotCanonical(0x7FFF_FFFF)));
}

/// An element that is not reduced would become another one on its way.
#[test]
fn what_is_not_reduced_is_no_proof_of_ours() {
    let proof = decode(&vector("plonk_n5_b1_q3_f1_l0_p5").proof, Suite::default()).unwrap();
    let changes: [fn(&mut StarkProof<Blake2sMerkleHasher>); 3] = [
        |proof| proof.0.queried_values[1][0][0].0 += (1 << 31) - 1,
        |proof| proof.0.sampled_values[1][0][0].0.1.0 += (1 << 31) - 1,
        |proof| proof.0.fri_proof.first_layer.fri_witness[0].1.1.0 += (1 << 31) - 1,
    ];
    for change in changes {
        let mut changed = to_stwo(proof.clone());
        assert!(from_stwo(&changed, Suite::default()).unwrap() == proof);
        change(&mut changed);
        assert_eq!(from_stwo(&changed, Suite::default()), None);
    }
}

#[test]
fn lengths_are_bounded_by_what_is_left() {
    let mut bytes = vector("fibonacci_n4_b1_q3_f1_l0_p5").proof;
    bytes[25..33].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let error = decode(&bytes, Suite::default()).unwrap_err();
    assert_eq!((error.offset, error.kind), (25, DecodeErrorKind::ListLength(1 << 40)));
}
