//! Files with the auxiliary data of the reference's prover.

use std::collections::BTreeMap;
use std::io::Write;

use bzip2::Compression;
use bzip2::write::BzEncoder;
use cairo::file::{FileError, Format, bincode, check_auxiliary, decode, encode};
use cairo::verify::{Expect, Policy, auxiliary, verify};
use cairo::{AirProof as _, Proof};
use circle_proof::{Auxiliary, Suite};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use stwo::core::fields::m31::P;

use super::files::{PROOFS, proof, read};

/// Most bytes of a file here.
const LIMIT: u64 = 1 << 22;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    std::io::copy(&mut bzip2::bufread::BzDecoder::new(bytes), &mut unpacked).unwrap();
    unpacked
}

#[test]
fn a_proof_is_extended_and_read_again() {
    for name in PROOFS {
        let proof = proof(name);
        let file = encode(&proof, Format::ExtendedBinary, Suite::Blake2s).unwrap();
        let (read, format) = decode::<Proof>(&file, LIMIT, Suite::Blake2s).unwrap();
        assert_eq!(format, Format::ExtendedBinary, "{name}");
        assert!(bincode(&read, Suite::Blake2s).unwrap() == bincode(&proof, Suite::Blake2s).unwrap(), "{name}");
        check_auxiliary::<Proof>(&file, LIMIT, Suite::Blake2s).unwrap();
        assert!(decode::<Proof>(&[&file[..], b"1"].concat(), LIMIT, Suite::Blake2s).is_err());
        let unpacked = unpacked(&file);
        for length in (0..unpacked.len()).step_by(997).chain([unpacked.len() - 1]) {
            assert!(
                decode::<Proof>(&packed(&unpacked[..length]), LIMIT, Suite::Blake2s).is_err(),
                "{name}: {length} bytes"
            );
        }
    }
}

/// Parents and children are where a tree has them, and queries are among the values of the first layer.
fn assert_whole(auxiliary: &Auxiliary, name: &str) {
    let layers = auxiliary.layers.iter().map(|layer| &layer.nodes);
    for nodes in auxiliary.trees.iter().chain(layers).filter(|nodes| !nodes.is_empty()) {
        assert!(nodes.iter().all(|level| level.keys().all(|at| level.contains_key(&(at ^ 1)))), "{name}");
        for levels in nodes.windows(2) {
            let parents = |level: &BTreeMap<usize, _>| level.keys().map(|at| at >> 1).collect::<Vec<_>>();
            assert!(parents(&levels[0]).iter().all(|at| levels[1].contains_key(at)), "{name}");
        }
        assert_eq!(nodes[nodes.len() - 1].keys().copied().collect::<Vec<_>>(), [0, 1], "{name}");
    }
    assert!(auxiliary.drawn_queries.iter().all(|at| auxiliary.layers[0].values.contains_key(at)), "{name}");
}

#[test]
fn auxiliary_data_holds_whole_paths() {
    for name in PROOFS {
        let auxiliary = auxiliary(&proof(name), Suite::Blake2s).unwrap();
        assert_whole(&auxiliary, name);
        assert_eq!(auxiliary.drawn_queries.len(), 3, "{name}");
    }
}

/// The file that the crates of stwo-circuits are tested with. Its maps are in an order of chance.
#[test]
fn a_file_of_the_reference_is_read() {
    let name = "starknet/stwo-circuits-1.3.0";
    let file = read(&format!("{name}.proof.bin"));
    let vector: Value = serde_json::from_slice(&read(&format!("{name}.json"))).unwrap();
    let suite = Suite::Blake2sM31;
    let (proof, format) = decode::<Proof>(&file, LIMIT, suite).unwrap();
    assert_eq!(format, Format::ExtendedBinary);
    let bytes = bincode(&proof, suite).unwrap();
    assert_eq!(vector["proof_bincode1_len"], bytes.len());
    assert_eq!(vector["proof_bincode1_sha256"], hex::encode(Sha256::digest(bytes)));
    for (tree, root) in vector["roots"].as_array().unwrap().iter().enumerate() {
        assert_eq!(*root, hex::encode(proof.root(tree).unwrap()), "tree {tree}");
    }
    assert_eq!(vector["program_len"], proof.claim().public_data.public_memory.program.len());
    assert_eq!(vector["extended_bincode1_len"], unpacked(&file).len());
    // Sorted, its maps are those that follow from the proof.
    check_auxiliary::<Proof>(&file, LIMIT, suite).unwrap();
    let auxiliary = auxiliary(&proof, suite).unwrap();
    assert_eq!(vector["drawn_queries"], serde_json::json!(auxiliary.drawn_queries));
    assert_whole(&auxiliary, name);
    // No constant is known for a blowup of 8 and a common domain of 2^23 points.
    let root = hex::decode(vector["preprocessed_root"].as_str().unwrap()).unwrap();
    let preprocessed_root = Some(root.try_into().unwrap());
    let policy = circle_proof::Policy { suite, preprocessed_root, ..circle_proof::Policy::ANY };
    // A verifier in a circuit takes samples of all columns.
    let policy = Policy { proof: policy, samples_all: true, ..Policy::default() };
    let verified = verify(proof, &policy, &Expect::default()).unwrap();
    assert_eq!((verified.options.queries, verified.options.lifting), (23, Some(23)));
}

/// No byte of the auxiliary data can be another one.
#[test]
fn changed_auxiliary_data_is_refused() {
    let proof = proof(PROOFS[0]);
    let bare = bincode(&proof, Suite::Blake2s).unwrap().len();
    let bytes = unpacked(&encode(&proof, Format::ExtendedBinary, Suite::Blake2s).unwrap());
    // The salt and the variant stand behind it.
    let (first, last) = (bare - 8, bytes.len() - 8);
    assert!(last > first + 10_000, "{} bytes of auxiliary data", last - first);
    for at in (first..last).step_by(613) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let file = packed(&changed);
        let refused = check_auxiliary::<Proof>(&file, LIMIT, Suite::Blake2s);
        assert!(
            matches!(refused, Err(FileError::Auxiliary | FileError::Bincode(_))),
            "byte {at} of {}: {refused:?}",
            bytes.len()
        );
    }
}

/// An element has one encoding.
#[test]
fn an_element_that_is_not_reduced_is_refused() {
    let proof = proof(PROOFS[0]);
    let bare = bincode(&proof, Suite::Blake2s).unwrap().len();
    let bytes = unpacked(&encode(&proof, Format::ExtendedBinary, Suite::Blake2s).unwrap());
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    // Among these are coordinates of elements, words of digests and positions.
    let words: Vec<usize> =
        (bare - 8..bytes.len() - 12).step_by(4).filter(|at| (1 << 16..P).contains(&word(*at))).collect();
    for &at in words.iter().step_by(words.len() / 200) {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&(word(at) + P).to_le_bytes());
        let refused = check_auxiliary::<Proof>(&packed(&changed), LIMIT, Suite::Blake2s);
        assert!(refused.is_err(), "byte {at}: {} + p", word(at));
    }
}

#[test]
fn a_proof_that_opens_another_value_has_no_auxiliary_data() {
    let mut proof = proof(PROOFS[0]);
    proof.stark_proof.0.queried_values[1][0][0] += 1.into();
    let refused = encode(&proof, Format::ExtendedBinary, Suite::Blake2s).unwrap_err();
    assert!(refused.to_string().contains("the opened values of tree 1 do not lead to its root"), "{refused}");
}
