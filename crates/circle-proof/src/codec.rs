//! The bytes of a proof (section 14), and the strict way back.
//!
//! [`encode`] and [`decode`] are inverse to each other: a proof has exactly one encoding, and [`decode`] accepts nothing else.
//! Every field element is canonical, no byte is left over. [`decode`] never panics and bounds every length by what is left of
//! the input before it allocates, so its memory is a small multiple of the input. It says nothing about whether lengths fit
//! the statement: that is `shape`'s part.

use stwo::core::fields::m31::{BaseField, P};
use stwo::core::fields::qm31::SecureField;
use stwo::core::fri::{FriConfig, FriLayerProof, FriProof};
use stwo::core::pcs::quotients::CommitmentSchemeProof;
use stwo::core::pcs::{PcsConfig, TreeVec};
use stwo::core::poly::line::LinePoly;
use stwo::core::proof::StarkProof;
use stwo::core::vcs::blake2_hash::Blake2sHash;
use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;
use stwo::core::vcs_lifted::verifier::MerkleDecommitmentLifted;

/// stwo's proof with the hash function of this protocol.
pub type Proof = StarkProof<Blake2sMerkleHasher>;

type Layer = FriLayerProof<Blake2sMerkleHasher>;
type Decommitment = MerkleDecommitmentLifted<Blake2sMerkleHasher>;

/// Bytes of the length of a list, of a digest, of a base and of an extension element.
const LENGTH: usize = 8;
const DIGEST: usize = 32;
const BASE: usize = 4;
const SECURE: usize = 16;
/// The smallest FRI layer: two empty lists and a root.
const LEAST_LAYER: usize = 2 * LENGTH + DIGEST;

/// Why and where bytes are not an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {kind}")]
pub struct DecodeError {
    /// Offset of the first byte of the item that is wrong.
    pub offset: usize,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// What is wrong with an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside an item: it is truncated, unless a length in it is wrong.
    #[error("the input is truncated: it ends at byte {end}, at least {missing} more are missing")]
    Truncated {
        /// Bytes of the input.
        end: usize,
        /// Bytes that the item needs beyond them, at least: what follows the item is not known.
        missing: usize,
    },
    /// Bytes are left after the last item.
    #[error("bytes are left after the end")]
    TrailingBytes,
    /// An option starts with something other than 0 or 1.
    #[error("an option starts with 0x00 or 0x01, not with {0:#04x}")]
    OptionTag(u8),
    /// A list is longer than the rest of the input can hold.
    #[error("a list of {0} items does not fit into the rest of the input, which is truncated or changed")]
    ListLength(u64),
    /// A number is larger than this machine's integers.
    #[error("{0} is too large a number")]
    Number(u64),
    /// A field element is not below the prime.
    #[error("{0} is no element of the field: it is not reduced")]
    NotCanonical(u32),
    /// The number of coefficients of the last layer is not the power of two that is said after them.
    #[error("the last layer has {found} coefficients, and says that they are 2^{log_size}")]
    LastLayer {
        /// Coefficients.
        found: usize,
        /// Log2 as said.
        log_size: u32,
    },
}

type Result<T> = std::result::Result<T, DecodeError>;

/// The bytes of a proof. Its digest is the SHA-256 of them.
pub fn encode(proof: &Proof) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(proof.size_estimate() + 1024));
    let CommitmentSchemeProof {
        config,
        commitments,
        sampled_values,
        decommitments,
        queried_values,
        proof_of_work,
        fri_proof,
    } = &proof.0;
    out.config(config);
    out.list(commitments, |out, root| out.digest(root));
    out.list(sampled_values, |out, tree| out.list(tree, |out, column| out.secures(column)));
    out.list(decommitments, Writer::decommitment);
    out.list(queried_values, |out, tree| {
        out.list(tree, |out, column| out.list(column, |out, value| out.base(*value)));
    });
    out.long(*proof_of_work);
    out.layer(&fri_proof.first_layer);
    out.list(&fri_proof.inner_layers, Writer::layer);
    out.secures(&fri_proof.last_layer_poly);
    out.word(fri_proof.last_layer_poly.len().ilog2());
    out.0
}

/// The proof that these bytes encode.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] gives for some proof; the error says where and why.
pub fn decode(bytes: &[u8]) -> Result<Proof> {
    let mut r = Reader { bytes, offset: 0 };
    let proof = CommitmentSchemeProof {
        config: r.config()?,
        commitments: TreeVec(r.list(DIGEST, Reader::digest)?),
        sampled_values: TreeVec(r.list(LENGTH, |r| r.list(LENGTH, Reader::secures))?),
        decommitments: TreeVec(r.list(LENGTH, Reader::decommitment)?),
        queried_values: TreeVec(r.list(LENGTH, |r| r.list(LENGTH, |r| r.list(BASE, Reader::base)))?),
        proof_of_work: r.long()?,
        fri_proof: FriProof {
            first_layer: r.layer()?,
            inner_layers: r.list(LEAST_LAYER, Reader::layer)?,
            last_layer_poly: r.last_layer()?,
        },
    };
    if r.offset < bytes.len() {
        return Err(DecodeError { offset: r.offset, kind: DecodeErrorKind::TrailingBytes });
    }
    Ok(StarkProof(proof))
}

/// The configuration at the front of the bytes of a proof: enough to refuse a proof before it is decoded.
///
/// # Errors
/// As [`decode`], for the first bytes only.
pub fn decode_config(bytes: &[u8]) -> Result<PcsConfig> {
    Reader { bytes, offset: 0 }.config()
}

struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn long(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.long(items.len() as u64);
        items.iter().for_each(|value| item(self, value));
    }

    fn base(&mut self, value: BaseField) {
        self.word(value.0);
    }

    fn secures(&mut self, values: &[SecureField]) {
        self.list(values, |out, value| value.to_m31_array().into_iter().for_each(|value| out.base(value)));
    }

    fn digest(&mut self, digest: &Blake2sHash) {
        self.0.extend_from_slice(&digest.0);
    }

    fn decommitment(&mut self, decommitment: &Decommitment) {
        self.list(&decommitment.hash_witness, Self::digest);
    }

    fn layer(&mut self, layer: &Layer) {
        self.secures(&layer.fri_witness);
        self.decommitment(&layer.decommitment);
        self.digest(&layer.commitment);
    }

    fn config(&mut self, config: &PcsConfig) {
        let fri = &config.fri_config;
        self.word(config.pow_bits);
        self.word(fri.log_blowup_factor);
        self.word(fri.log_last_layer_degree_bound);
        self.long(fri.n_queries as u64);
        self.word(fri.fold_step);
        match config.lifting_log_size {
            None => self.0.push(0),
            Some(lifting) => {
                self.0.push(1);
                self.word(lifting);
            }
        }
    }
}

/// Reads items from the front of a byte string.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, kind: DecodeErrorKind) -> Result<T> {
        Err(DecodeError { offset: self.offset, kind })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes[self.offset..].first_chunk::<N>() {
            Some(chunk) => {
                self.offset += N;
                Ok(*chunk)
            }
            None => {
                let end = self.bytes.len();
                self.fail(DecodeErrorKind::Truncated { end, missing: N - (end - self.offset) })
            }
        }
    }

    fn word(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A list of items that take at least `least` bytes each.
    fn list<T>(&mut self, least: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let start = self.offset;
        let length = self.long()?;
        let room = (self.bytes.len() - self.offset) / least;
        let length = match usize::try_from(length) {
            Ok(length) if length <= room => length,
            _ => return Err(DecodeError { offset: start, kind: DecodeErrorKind::ListLength(length) }),
        };
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn base(&mut self) -> Result<BaseField> {
        let start = self.offset;
        let value = self.word()?;
        if value < P {
            Ok(BaseField::from_u32_unchecked(value))
        } else {
            Err(DecodeError { offset: start, kind: DecodeErrorKind::NotCanonical(value) })
        }
    }

    fn secures(&mut self) -> Result<Vec<SecureField>> {
        self.list(SECURE, |r| Ok(SecureField::from_m31_array([r.base()?, r.base()?, r.base()?, r.base()?])))
    }

    fn digest(&mut self) -> Result<Blake2sHash> {
        self.array().map(Blake2sHash)
    }

    fn decommitment(&mut self) -> Result<Decommitment> {
        Ok(Decommitment { hash_witness: self.list(DIGEST, Self::digest)? })
    }

    fn layer(&mut self) -> Result<Layer> {
        Ok(Layer { fri_witness: self.secures()?, decommitment: self.decommitment()?, commitment: self.digest()? })
    }

    fn last_layer(&mut self) -> Result<LinePoly> {
        let start = self.offset;
        let coefficients = self.secures()?;
        let (found, log_size) = (coefficients.len(), self.word()?);
        // Constructing one of any other length would panic.
        if found.is_power_of_two() && found.ilog2() == log_size {
            Ok(LinePoly::new(coefficients))
        } else {
            Err(DecodeError { offset: start, kind: DecodeErrorKind::LastLayer { found, log_size } })
        }
    }

    fn config(&mut self) -> Result<PcsConfig> {
        let pow_bits = self.word()?;
        let log_blowup_factor = self.word()?;
        let log_last_layer_degree_bound = self.word()?;
        let offset = self.offset;
        let n_queries = self.long()?;
        let n_queries =
            usize::try_from(n_queries).map_err(|_| DecodeError { offset, kind: DecodeErrorKind::Number(n_queries) })?;
        let fold_step = self.word()?;
        let offset = self.offset;
        let lifting_log_size = match self.array()? {
            [0] => None,
            [1] => Some(self.word()?),
            [tag] => return Err(DecodeError { offset, kind: DecodeErrorKind::OptionTag(tag) }),
        };
        let fri_config = FriConfig { log_blowup_factor, log_last_layer_degree_bound, n_queries, fold_step };
        Ok(PcsConfig { pow_bits, fri_config, lifting_log_size })
    }
}
