//! Batches of trees that stwo's prover has proven by GKR, by digest.

#[cfg(feature = "prover")]
mod check;

use circle_proof::Suite;

use crate::Folder;

#[cfg(feature = "prover")]
pub use check::{Proven, base_columns, check, large, on_device, on_host};

const FOLDER: Folder = Folder("gkr");

/// A batch of `adversary::gkr`, and the facts of its proof.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its seed.
    pub seed: u64,
    /// The suite of the transcript.
    pub suite: Suite,
    /// The trees, as `KIND:VARIABLES,...`.
    pub trees: String,
    /// Length of the proof in bytes.
    pub length: usize,
    /// SHA-256 of the proof, in hexadecimal.
    pub sha256: String,
    /// SHA-256 of the point and the claims, in hexadecimal.
    pub claims_sha256: String,
    /// The bytes of the next element that the transcript gives, in hexadecimal.
    pub next_draw: String,
}

/// All of them.
///
/// # Panics
/// If the file is not as it should be.
pub fn batches() -> Vec<Batch> {
    let batch = |fields: Vec<String>| Batch {
        seed: fields[0].parse().expect("a seed"),
        suite: fields[1].parse().expect("a suite"),
        trees: fields[2].clone(),
        length: fields[3].parse().expect("a length"),
        sha256: fields[4].clone(),
        claims_sha256: fields[5].clone(),
        next_draw: fields[6].clone(),
    };
    let batches: Vec<Batch> = FOLDER.table("batches.tsv").into_iter().map(batch).collect();
    assert_eq!(batches.len(), 500, "all batches are there");
    batches
}
