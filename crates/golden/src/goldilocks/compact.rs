//! The vectors of the compact format: section 16 of `docs/protocol/goldilocks-compact.md`. Their AIRs have digests that
//! the text gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use goldilocks_proof::Hiding;
use goldilocks_proof::compact::{AirDigest, Options, Suite, encode};
use goldilocks_verifier::{Policy, compact};
use gpu_hal::StarkBackend;
use gpu_hal::erased::Device;
use prover_core::Silent;
use prover_core::goldilocks::{MaskSeed, Prover};
use sha2::{Digest, Sha256};

use super::Cubic;

/// A vector: its proof has a length and a digest.
#[derive(Clone, Debug)]
pub struct Vector {
    /// Name of the AIR, of 64 rows.
    pub air: &'static str,
    /// Its parameters.
    pub parameters: &'static [(&'static str, u64)],
    /// The digest that stands for that of the AIR.
    pub digest: [u8; 32],
    /// The options.
    pub options: Options,
    /// The seed of the masks, of options that hide the witness.
    pub seed: [u8; 32],
    /// Bytes of the proof.
    pub length: usize,
    /// SHA-256 of the proof.
    pub sha256: &'static str,
}

/// The five vectors; the last two hide their witness.
pub fn vectors() -> [Vector; 5] {
    let vector = |air, parameters, digest, options, length, sha256| Vector {
        air,
        parameters,
        digest: [digest; 32],
        options,
        seed: [0x5e; 32],
        length,
        sha256,
    };
    let rap = |parameters, options, length, sha256| vector("fibonacci-rap", parameters, 0x11, options, length, sha256);
    let quadratic =
        |parameters, options, length, sha256| vector("quadratic", parameters, 0x22, options, length, sha256);
    [
        rap(
            &[("steps", 63)],
            Options {
                blowup: 4,
                queries: 5,
                coset_offset: 3,
                points: 1,
                folds: vec![3, 2],
                log_last: 1,
                work: vec![1, 2, 3, 0, 4, 1, 5],
                suite: Suite::Keccak256,
                hiding: Hiding::None,
            },
            3928,
            "f59f48310e484d443ca88d4fe5fd153c9bd90587e96a2518f5366038d18b8b70",
        ),
        rap(
            &[("steps", 63)],
            Options {
                blowup: 4,
                queries: 6,
                coset_offset: 7,
                points: 2,
                folds: vec![0, 3, 1],
                log_last: 2,
                work: vec![0, 0, 0, 3, 0, 2, 0, 4],
                suite: Suite::Keccak256,
                hiding: Hiding::None,
            },
            4928,
            "eaeb58efae89724a3c7325eeab0291b96ce5193c9beba5a10ae018f49e31c9fe",
        ),
        quadratic(
            &[],
            Options {
                blowup: 2,
                queries: 7,
                coset_offset: 3,
                points: 1,
                folds: vec![1, 1, 4],
                log_last: 0,
                work: vec![0, 1, 0, 0, 0, 1, 0, 3],
                suite: Suite::Keccak256,
                hiding: Hiding::None,
            },
            3304,
            "82dcbc3168f1cecb37ad3f81f08d886446bb00128c658d88aa80bbf6a2025fd9",
        ),
        rap(
            &[("steps", 14), ("free", 49)],
            Options {
                blowup: 4,
                queries: 2,
                coset_offset: 7,
                points: 2,
                folds: vec![1, 2],
                log_last: 3,
                work: vec![1, 0, 2, 0, 3, 0, 4],
                suite: Suite::Keccak256,
                hiding: Hiding::FreeRows,
            },
            2376,
            "7eb96b6ab0be2d6e856bc6e7d9e3eb14ccf7cfe2ea2d3d05702dab3337a5f43e",
        ),
        quadratic(
            &[("free", 37)],
            Options {
                blowup: 2,
                queries: 5,
                coset_offset: 3,
                points: 1,
                folds: vec![0, 3],
                log_last: 3,
                work: vec![0, 0, 1, 0, 0, 2, 3],
                suite: Suite::Keccak256,
                hiding: Hiding::FreeRows,
            },
            1984,
            "801b5cede5d715cc2b4429afeaefee12d8bc76a5ea7a6db9638f77e19faf3735",
        ),
    ]
}

impl Vector {
    /// The AIR.
    ///
    /// # Panics
    /// If there is none of the name and the parameters.
    pub fn air(&self) -> Arc<dyn ExampleAir<Cubic>> {
        let parameters: BTreeMap<_, _> =
            self.parameters.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        airs::build::<Cubic>(self.air, 64, &parameters).expect("an example")
    }

    /// The proof that a backend makes, which the verifier accepts.
    ///
    /// # Panics
    /// If there is none, or the verifier refuses it.
    pub fn prove<B: StarkBackend<P = Cubic>>(&self, backend: &Arc<B>) -> Vec<u8> {
        self.prove_on(Device::new(backend.clone()))
    }

    fn prove_on(&self, device: Device<Cubic>) -> Vec<u8> {
        let (air, digest) = (self.air(), AirDigest::Given(&self.digest));
        let prover = Prover::new(Arc::new(device), air.clone()).expect("a sound AIR");
        let masks = MaskSeed::from_bytes(self.seed);
        let proof = prover.prove_masked(Some(&air.trace()), &self.options, digest, masks, &Silent);
        let bytes = encode(&proof.unwrap_or_else(|error| panic!("{}: {error}", self.air)), &self.options);
        let verdict = compact::verify_bytes_of(prover.recorded(), digest, &self.options, &bytes, &Policy::ANY);
        verdict.unwrap_or_else(|error| panic!("{}: {error}", self.air));
        bytes
    }
}

/// Proves every vector on a backend and compares the proofs with the text.
///
/// # Panics
/// If there is no proof, or another.
pub fn check_vectors<B: StarkBackend<P = Cubic>>(backend: &Arc<B>) {
    check_vectors_on(&Device::new(backend.clone()));
}

pub(super) fn check_vectors_on(device: &Device<Cubic>) {
    for vector in vectors() {
        let bytes = vector.prove_on(device.clone());
        assert_eq!(bytes.len(), vector.length, "{}: length of the proof", vector.air);
        assert_eq!(hex::encode(Sha256::digest(&bytes)), vector.sha256, "{}: digest of the proof", vector.air);
    }
}
