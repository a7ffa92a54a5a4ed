//! The default transcript seed. The transcript of the protocol binds only its seed, so the seed must bind the
//! statement: the AIR, the number of rows, the public inputs, the options.

use alloc::vec::Vec;

use field::Goldilocks;
use gpu_hal::{CosetProtocol, Digest};
use sha3::{Digest as _, Keccak256};

use crate::lambdaworks;

/// Tag and version of the encoding. Other contents, another tag.
const DOMAIN: &[u8] = b"polystark transcript seed v1";

/// Keccak-256 of, integers 8 bytes big-endian: the length of the tag and the tag; the length of the protocol's name and
/// the name; the degree of the extension; the AIR's digest (32 bytes); the trace length;
/// [`lambdaworks::Options::to_bytes`] (22 bytes); the number of public inputs and the inputs. Every variable part has
/// its length before it, so no two statements share an encoding.
pub fn default_seed<P: CosetProtocol>(
    air_digest: &Digest,
    trace_length: u64,
    public_inputs: &[Goldilocks],
    options: &lambdaworks::Options,
) -> Digest {
    let mut hasher = Keccak256::new();
    let mut int = |value: u64, bytes: &[u8]| {
        hasher.update(value.to_be_bytes());
        hasher.update(bytes);
    };
    int(DOMAIN.len() as u64, DOMAIN);
    int(P::NAME.len() as u64, P::NAME.as_bytes());
    int(P::DEGREE as u64, air_digest);
    int(trace_length, &options.to_bytes());
    int(public_inputs.len() as u64, &[]);
    public_inputs.iter().for_each(|input| int(input.value(), &[]));
    hasher.finalize().into()
}

/// The start of a transcript. Prover and verifier must use the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seed<'a> {
    /// [`default_seed`]: binds the statement.
    #[default]
    Default,
    /// These bytes, for interoperability. They must bind the statement: nothing else in the protocol does.
    Given(&'a [u8]),
}

impl Seed<'_> {
    /// The bytes of the seed; the arguments are as for [`default_seed`].
    pub fn bytes<P: CosetProtocol>(
        &self,
        air_digest: &Digest,
        trace_length: u64,
        public_inputs: &[Goldilocks],
        options: &lambdaworks::Options,
    ) -> Vec<u8> {
        match self {
            Self::Default => default_seed::<P>(air_digest, trace_length, public_inputs, options).to_vec(),
            Self::Given(bytes) => bytes.to_vec(),
        }
    }
}
