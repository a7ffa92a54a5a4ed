//! Proofs in files, in bincode. Their SHA-256 digests equal the vectors.

use cairo::Proof;
use cairo::file::decode;
use cairo::verify::{Expect, Policy, Verified, VerifyError};
use circle_proof::Suite;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Proofs with three queries: of a program with large and small values; of one without large values; of one whose
/// preprocessed tree is higher than the others; of one that takes fewer than all builtins.
pub(crate) const PROOFS: [&str; 4] =
    ["cairo/fib_10.small", "cairo/tiny.small", "cairo/ec_op_3.wo", "cairo1/hashes.small"];

/// A file of the vectors.
pub(crate) fn read(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../vectors/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The vector of a proof: `folder/name`.
pub(crate) fn vector(name: &str) -> Value {
    let (folder, name) = name.split_once('/').unwrap();
    serde_json::from_slice(&read(&format!("{folder}/vectors/{name}.json"))).unwrap()
}

/// The bytes of a proof, which are the reference's.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    let (folder, of) = name.split_once('/').unwrap();
    let bytes = read(&format!("{folder}/proofs/{of}.low.bincode"));
    let expected = &vector(name)["proofs"]["low"]["proof_bincode1_sha256"];
    assert_eq!(*expected, hex::encode(Sha256::digest(&bytes)), "{name}");
    bytes
}

/// A proof, which is the reference's.
pub(crate) fn proof(name: &str) -> Proof {
    decode(&bytes(name), u64::MAX, Suite::Blake2s).unwrap().0
}

/// A program's proof with this suite, which is the reference's, as tests of its digests show.
pub(crate) fn stored(program: &str, suite: Suite) -> Proof {
    match suite {
        Suite::Blake2s => proof(&format!("cairo/{program}.small")),
        _ => decode(&read(&format!("cairo/proofs/{program}.{suite}.bincode")), u64::MAX, suite).unwrap().0,
    }
}

/// The proof with felts for its nodes, which is none of anything: for the formats of files.
pub(crate) fn with_felts(mut proof: Proof) -> Proof {
    let stark = &mut proof.stark_proof.0;
    let fri = &mut stark.fri_proof;
    let layers = std::iter::once(&mut fri.first_layer).chain(&mut fri.inner_layers);
    let siblings = stark.decommitments.0.iter_mut().flat_map(|tree| &mut tree.hash_witness);
    let of_layers = layers.flat_map(|layer| layer.decommitment.hash_witness.iter_mut().chain([&mut layer.commitment]));
    stark.commitments.0.iter_mut().chain(siblings).chain(of_layers).for_each(|node| node.0 = [1; 32]);
    proof
}

/// A policy that takes three queries.
pub(crate) fn any() -> Policy {
    policy(Suite::Blake2s)
}

/// A policy that takes three queries, with this suite.
pub(crate) fn policy(suite: Suite) -> Policy {
    Policy { proof: circle_proof::Policy { suite, ..circle_proof::Policy::ANY }, ..Policy::default() }
}

/// Verifies, whatever the proof is worth and about.
#[allow(clippy::result_large_err, reason = "as the library returns it")]
pub(crate) fn verify(proof: Proof) -> Result<Verified, VerifyError> {
    cairo::verify::verify(proof, &any(), &Expect::default())
}
