//! Options and proofs in stwo's types, and from them.

use circle_air::{base, secure};
use field::{M31, PrimeField, QM31};
use gpu_hal::{Digest, HashFn};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::{FriConfig, FriLayerProof, FriProof as StwoFriProof};
use stwo::core::pcs::quotients::CommitmentSchemeProof;
use stwo::core::pcs::{PcsConfig, TreeVec};
use stwo::core::poly::line::LinePoly;
use stwo::core::proof::StarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasherGeneric;
use stwo::core::vcs_lifted::merkle_hasher::MerkleHasherLifted;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLifted;

use crate::proof::{FriLayer, FriProof};
use crate::{CircleOptions, OptionsError, Proof, Suite};

/// A hash function of trees in stwo's types, and its digests in both.
pub trait StwoHasher: MerkleHasherLifted {
    /// A digest of ours in stwo's type; `None` if the bytes are no digest of the hash function.
    fn to_stwo(digest: &Digest) -> Option<Self::Hash>;

    /// A digest of stwo's as we have it.
    fn from_stwo(hash: &Self::Hash) -> Digest;
}

impl<const REDUCES: bool> StwoHasher for Blake2sMerkleHasherGeneric<REDUCES> {
    fn to_stwo(digest: &Digest) -> Option<Blake2sHash> {
        (!REDUCES || HashFn::Blake2sM31.is_digest(digest)).then_some(Blake2sHash(*digest))
    }

    fn from_stwo(hash: &Blake2sHash) -> Digest {
        hash.0
    }
}

/// stwo has no Poseidon252 on WebAssembly.
#[cfg(not(target_arch = "wasm32"))]
mod felts {
    use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleHasher;

    use super::{Digest, MerkleHasherLifted, StwoHasher};

    type Felt = <Poseidon252MerkleHasher as MerkleHasherLifted>::Hash;

    fn reversed(mut bytes: Digest) -> Digest {
        bytes.reverse();
        bytes
    }

    impl StwoHasher for Poseidon252MerkleHasher {
        fn to_stwo(digest: &Digest) -> Option<Felt> {
            Felt::from_bytes_be(&reversed(*digest)).ok()
        }

        fn from_stwo(hash: &Felt) -> Digest {
            reversed(hash.to_bytes_be())
        }
    }
}

/// The options as stwo has them, which are without the hash functions.
impl From<CircleOptions> for PcsConfig {
    fn from(options: CircleOptions) -> Self {
        Self {
            pow_bits: options.pow_bits,
            fri_config: FriConfig {
                log_blowup_factor: options.log_blowup,
                log_last_layer_degree_bound: options.log_last,
                n_queries: options.queries as usize,
                fold_step: options.fold_step,
            },
            lifting_log_size: options.lifting,
        }
    }
}

/// The options of stwo's configuration, with these hash functions, checked as [`CircleOptions::validate_alone`] does.
///
/// # Errors
/// The first parameter that is out of range.
pub fn options(config: PcsConfig, suite: Suite) -> Result<CircleOptions, OptionsError> {
    let options = unchecked_options(config, suite)?;
    options.validate_alone().map(|()| options)
}

fn unchecked_options(config: PcsConfig, suite: Suite) -> Result<CircleOptions, OptionsError> {
    let fri = config.fri_config;
    Ok(CircleOptions {
        pow_bits: config.pow_bits,
        log_blowup: fri.log_blowup_factor,
        queries: u32::try_from(fri.n_queries).map_err(|_| OptionsError::Queries(fri.n_queries as u64))?,
        fold_step: fri.fold_step,
        log_last: fri.log_last_layer_degree_bound,
        lifting: config.lifting_log_size,
        suite,
    })
}

/// A proof as stwo has it.
///
/// # Panics
/// If the number of coefficients of the last layer is no power of two, or a node is no digest of the hash function,
/// both of which [`crate::decode`] refuses.
pub fn to_stwo<H: StwoHasher>(proof: Proof) -> StarkProof<H> {
    let node = |node: Digest| H::to_stwo(&node).expect("nodes are digests");
    let siblings = |nodes: Vec<Digest>| MerkleDecommitmentLifted { hash_witness: map(nodes, node) };
    let layer = |layer: FriLayer| FriLayerProof {
        fri_witness: map(layer.fri_witness, secure),
        decommitment: siblings(layer.decommitment),
        commitment: node(layer.commitment),
    };
    StarkProof(CommitmentSchemeProof {
        config: proof.config.into(),
        commitments: TreeVec(map(proof.commitments, node)),
        sampled_values: TreeVec(map(proof.sampled_values, |tree| map(tree, |column| map(column, secure)))),
        decommitments: TreeVec(map(proof.decommitments, siblings)),
        queried_values: TreeVec(map(proof.queried_values, |tree| map(tree, |column| map(column, base)))),
        proof_of_work: proof.proof_of_work,
        fri_proof: StwoFriProof {
            first_layer: layer(proof.fri_proof.first_layer),
            inner_layers: map(proof.fri_proof.inner_layers, layer),
            last_layer_poly: LinePoly::new(map(proof.fri_proof.last_layer, secure)),
        },
    })
}

/// A proof of stwo's, made with these hash functions; `None` if a field element is not reduced or there are 2^32
/// queries or more.
pub fn from_stwo<H: StwoHasher>(proof: &StarkProof<H>, suite: Suite) -> Option<Proof> {
    let CommitmentSchemeProof {
        config,
        commitments,
        sampled_values,
        decommitments,
        queried_values,
        proof_of_work,
        fri_proof,
    } = &proof.0;
    let value = |value: &BaseField| M31::from_canonical(value.0.into());
    let values = |column: &Vec<BaseField>| column.iter().map(value).collect::<Option<Vec<_>>>();
    let felt = |felt: &SecureField| {
        let [a, b, c, d] = felt.to_m31_array();
        Some(QM31::new(value(&a)?, value(&b)?, value(&c)?, value(&d)?))
    };
    let felts = |felts: &[SecureField]| felts.iter().map(felt).collect::<Option<Vec<_>>>();
    let siblings = |of: &MerkleDecommitmentLifted<H>| of.hash_witness.iter().map(H::from_stwo).collect::<Vec<_>>();
    let layer = |layer: &FriLayerProof<H>| {
        Some(FriLayer {
            fri_witness: felts(&layer.fri_witness)?,
            decommitment: siblings(&layer.decommitment),
            commitment: H::from_stwo(&layer.commitment),
        })
    };
    Some(Proof {
        config: unchecked_options(*config, suite).ok()?,
        commitments: commitments.iter().map(H::from_stwo).collect(),
        sampled_values: sampled_values
            .iter()
            .map(|tree| tree.iter().map(|column| felts(column)).collect())
            .collect::<Option<_>>()?,
        decommitments: decommitments.iter().map(siblings).collect(),
        queried_values: queried_values.iter().map(|tree| tree.iter().map(values).collect()).collect::<Option<_>>()?,
        proof_of_work: *proof_of_work,
        fri_proof: FriProof {
            first_layer: layer(&fri_proof.first_layer)?,
            inner_layers: fri_proof.inner_layers.iter().map(layer).collect::<Option<_>>()?,
            last_layer: felts(&fri_proof.last_layer_poly)?,
        },
    })
}

/// A proof of stwo's with digests of another type. Numbers stay as they are, reduced or not. `None` if a node is no
/// digest of `B`.
pub fn with_hasher<A: StwoHasher, B: StwoHasher>(proof: StarkProof<A>) -> Option<StarkProof<B>> {
    let node = |hash: &A::Hash| B::to_stwo(&A::from_stwo(hash));
    let nodes = |hashes: &[A::Hash]| hashes.iter().map(node).collect::<Option<Vec<_>>>();
    let siblings =
        |of: MerkleDecommitmentLifted<A>| Some(MerkleDecommitmentLifted { hash_witness: nodes(&of.hash_witness)? });
    let layer = |layer: FriLayerProof<A>| {
        Some(FriLayerProof {
            fri_witness: layer.fri_witness,
            decommitment: siblings(layer.decommitment)?,
            commitment: node(&layer.commitment)?,
        })
    };
    let CommitmentSchemeProof {
        config,
        commitments,
        sampled_values,
        decommitments,
        queried_values,
        proof_of_work,
        fri_proof: StwoFriProof { first_layer, inner_layers, last_layer_poly },
    } = proof.0;
    Some(StarkProof(CommitmentSchemeProof {
        config,
        commitments: TreeVec(nodes(&commitments)?),
        sampled_values,
        decommitments: TreeVec(decommitments.0.into_iter().map(siblings).collect::<Option<_>>()?),
        queried_values,
        proof_of_work,
        fri_proof: StwoFriProof {
            first_layer: layer(first_layer)?,
            inner_layers: inner_layers.into_iter().map(layer).collect::<Option<_>>()?,
            last_layer_poly,
        },
    }))
}

fn map<T, U>(values: Vec<T>, to: impl Fn(T) -> U) -> Vec<U> {
    values.into_iter().map(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_and_back() {
        let expected = CircleOptions { lifting: Some(9), fold_step: 3, log_last: 1, ..CircleOptions::default() };
        let config = PcsConfig::from(expected);
        assert_eq!(options(config, expected.suite), Ok(expected));
        assert_eq!(config.security_bits(), expected.claimed_bits());
    }
}
