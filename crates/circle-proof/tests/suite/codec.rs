//! The encoding against bincode on stwo's own derived impls, and what is no encoding.

use circle_proof::codec::{DecodeErrorKind, Proof, decode, decode_config, encode};
use golden::circle::{vector, vectors};

#[test]
fn the_bytes_are_those_of_bincode() {
    for vector in vectors() {
        let proof = decode(&vector.proof).unwrap();
        assert!(encode(&proof) == vector.proof, "{}", vector.name);
        let config = bincode::config::legacy();
        assert!(bincode::serde::encode_to_vec(&proof, config).unwrap() == vector.proof, "{}", vector.name);
        let (theirs, length): (Proof, usize) = bincode::serde::decode_from_slice(&vector.proof, config).unwrap();
        assert!(encode(&theirs) == vector.proof && length == vector.proof.len(), "{}", vector.name);
        assert_eq!(decode_config(&vector.proof[..29]).unwrap(), proof.config, "{}", vector.name);
    }
}

#[test]
fn no_prefix_and_no_longer_string_is_an_encoding() {
    let bytes = vector("plonk_n5_b1_q9_f2_l2_p6_L8").proof;
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = decode(&longer).unwrap_err();
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
            match decode(&changed) {
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
    // The first sampled value of the first column of the first tree: after the configuration, 3 roots and three lengths.
    let at = 25 + 8 + 3 * 32 + 3 * 8;
    let mut bytes = vector.proof;
    assert!(decode(&bytes).is_ok());
    bytes[at..at + 4].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    let error = decode(&bytes).unwrap_err();
    assert_eq!((error.offset, error.kind), (at, DecodeErrorKind::NotCanonical(0x7FFF_FFFF)));
}

#[test]
fn lengths_are_bounded_by_what_is_left() {
    let mut bytes = vector("fibonacci_n4_b1_q3_f1_l0_p5").proof;
    bytes[25..33].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let error = decode(&bytes).unwrap_err();
    assert_eq!((error.offset, error.kind), (25, DecodeErrorKind::ListLength(1 << 40)));
}
