//! The bytes of a proof of [`Format::Stwo`] (section 14), and the strict way back.
//!
//! [`encode`] and [`decode`] are inverse to each other: a proof has exactly one encoding, and [`decode`] accepts
//! nothing else. Every field element is canonical, no byte is left over. [`decode`] never panics and bounds every
//! length by the rest of the input before it allocates, so its memory is a small multiple of the input. It says
//! nothing about whether lengths fit the statement: that is `shape`'s part.

use field::{CanonicalBytes, M31, PrimeField, QM31};
use gpu_hal::Digest;

use crate::channel::poseidon252;
use crate::proof::{FriLayer, FriProof, Proof};
use crate::suite::DigestFormat;
use crate::{CircleOptions, Format, Suite};

/// Bytes of the length of a list, of a base and of an extension element.
const LENGTH: usize = 8;
const BASE: usize = 4;
const SECURE: usize = 16;

/// Why and where bytes are not an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {kind}")]
pub struct DecodeError {
    /// Offset of the first byte of the item that is wrong.
    pub offset: usize,
    /// The kind of the error.
    pub kind: DecodeErrorKind,
}

/// Kinds of errors in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside an item: it is truncated, unless a length in it is wrong.
    #[error("the input is truncated: it ends at byte {end}, at least {missing} more are missing")]
    Truncated {
        /// Bytes of the input.
        end: usize,
        /// Bytes that the item needs beyond them, at least: the bytes behind the item are not known.
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
    /// A number of queries is 2^32 or more.
    #[error("{0} is too large a number")]
    Number(u64),
    /// A field element is not below the prime.
    #[error("{0} is no element of the field: it is not reduced")]
    NotCanonical(u32),
    /// No digest of the suite's hash function.
    #[error("a node of a tree is no digest of the suite's hash function: are the hash functions of the proof others?")]
    Digest,
    /// The number of coefficients of the last layer is not the power of two that stands after them.
    #[error("the last layer has {found} coefficients, and says that they are 2^{log_size}")]
    LastLayer {
        /// Coefficients.
        found: usize,
        /// Log2 as said.
        log_size: u32,
    },
}

type Result<T> = std::result::Result<T, DecodeError>;

/// The bytes of a proof. Its digest is the SHA-256 of them. They do not say the suite.
///
/// # Panics
/// If the last layer has no coefficients.
pub fn encode(proof: &Proof) -> Vec<u8> {
    let mut out = Writer(Vec::new(), proof.config.suite);
    let Proof { config, commitments, sampled_values, decommitments, queried_values, proof_of_work, fri_proof } = proof;
    out.config(config);
    out.list(commitments, |out, root| out.digest(root));
    out.list(sampled_values, |out, tree| out.list(tree, |out, column| out.secures(column)));
    out.list(decommitments, |out, siblings| out.list(siblings, Writer::digest));
    out.list(queried_values, |out, tree| {
        out.list(tree, |out, column| out.list(column, |out, value| out.base(*value)));
    });
    out.long(*proof_of_work);
    out.layer(&fri_proof.first_layer);
    out.list(&fri_proof.inner_layers, Writer::layer);
    out.secures(&fri_proof.last_layer);
    out.word(fri_proof.last_layer.len().ilog2());
    out.0
}

/// The proof that these bytes encode, made with these hash functions.
///
/// # Errors
/// If the bytes are not exactly the result of [`encode`] for some proof; the error says where and why.
pub fn decode(bytes: &[u8], suite: Suite) -> Result<Proof> {
    let Format::Stwo = suite.format();
    let mut r = Reader { bytes, offset: 0, suite };
    let digest = r.least_digest();
    let proof = Proof {
        config: r.config()?,
        commitments: r.list(digest, Reader::digest)?,
        sampled_values: r.list(LENGTH, |r| r.list(LENGTH, Reader::secures))?,
        decommitments: r.list(LENGTH, Reader::siblings)?,
        queried_values: r.list(LENGTH, |r| r.list(LENGTH, |r| r.list(BASE, Reader::base)))?,
        proof_of_work: r.long()?,
        fri_proof: FriProof {
            first_layer: r.layer()?,
            // The smallest layer: two empty lists and a root.
            inner_layers: r.list(2 * LENGTH + digest, Reader::layer)?,
            last_layer: r.last_layer()?,
        },
    };
    if r.offset < bytes.len() {
        return Err(DecodeError { offset: r.offset, kind: DecodeErrorKind::TrailingBytes });
    }
    Ok(proof)
}

/// The options at the front of the bytes of a proof, unchecked: enough to refuse a proof before it is decoded.
///
/// # Errors
/// As [`decode`], for the first bytes only.
pub fn decode_config(bytes: &[u8], suite: Suite) -> Result<CircleOptions> {
    Reader { bytes, offset: 0, suite }.config()
}

/// The bytes so far, of a proof with these hash functions.
struct Writer(Vec<u8>, Suite);

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

    fn base(&mut self, value: M31) {
        value.write_bytes(&mut self.0);
    }

    fn secures(&mut self, values: &[QM31]) {
        self.list(values, |out, value| value.write_bytes(&mut out.0));
    }

    fn digest(&mut self, digest: &Digest) {
        match self.1.digests() {
            DigestFormat::Bytes => self.0.extend_from_slice(digest),
            DigestFormat::Decimal => {
                let text = poseidon252::to_text(digest);
                self.long(text.len() as u64);
                self.0.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn layer(&mut self, layer: &FriLayer) {
        self.secures(&layer.fri_witness);
        self.list(&layer.decommitment, Self::digest);
        self.digest(&layer.commitment);
    }

    fn config(&mut self, config: &CircleOptions) {
        self.word(config.pow_bits);
        self.word(config.log_blowup);
        self.word(config.log_last);
        self.long(config.queries.into());
        self.word(config.fold_step);
        match config.lifting {
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
    suite: Suite,
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

    fn base(&mut self) -> Result<M31> {
        let start = self.offset;
        let value = self.word()?;
        let kind = DecodeErrorKind::NotCanonical(value);
        M31::from_canonical(value.into()).ok_or(DecodeError { offset: start, kind })
    }

    fn secures(&mut self) -> Result<Vec<QM31>> {
        self.list(SECURE, |r| Ok(QM31([r.base()?, r.base()?, r.base()?, r.base()?])))
    }

    fn digest(&mut self) -> Result<Digest> {
        let offset = self.offset;
        let digest = match self.suite.digests() {
            DigestFormat::Bytes => Some(self.array()?),
            DigestFormat::Decimal => self.digits()?,
        };
        let digest = digest.filter(|digest| self.suite.tree().is_digest(digest));
        digest.ok_or(DecodeError { offset, kind: DecodeErrorKind::Digest })
    }

    /// A digest as decimal digits after their number.
    fn digits(&mut self) -> Result<Option<Digest>> {
        let count = self.long()?;
        if count > poseidon252::MOST_DIGITS as u64 {
            return Ok(None);
        }
        let mut text = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let [digit] = self.array()?;
            text.push(digit);
        }
        Ok(poseidon252::from_text(&text))
    }

    /// Fewest bytes of a digest.
    const fn least_digest(&self) -> usize {
        self.suite.digest_bytes()[0]
    }

    fn siblings(&mut self) -> Result<Vec<Digest>> {
        self.list(self.least_digest(), Self::digest)
    }

    fn layer(&mut self) -> Result<FriLayer> {
        Ok(FriLayer { fri_witness: self.secures()?, decommitment: self.siblings()?, commitment: self.digest()? })
    }

    fn last_layer(&mut self) -> Result<Vec<QM31>> {
        let start = self.offset;
        let coefficients = self.secures()?;
        let (found, log_size) = (coefficients.len(), self.word()?);
        // stwo's polynomials have no other length.
        if found.is_power_of_two() && found.ilog2() == log_size {
            Ok(coefficients)
        } else {
            Err(DecodeError { offset: start, kind: DecodeErrorKind::LastLayer { found, log_size } })
        }
    }

    fn config(&mut self) -> Result<CircleOptions> {
        let [pow_bits, log_blowup, log_last] = [self.word()?, self.word()?, self.word()?];
        let offset = self.offset;
        let queries = self.long()?;
        let queries =
            u32::try_from(queries).map_err(|_| DecodeError { offset, kind: DecodeErrorKind::Number(queries) })?;
        let fold_step = self.word()?;
        let offset = self.offset;
        let lifting = match self.array()? {
            [0] => None,
            [1] => Some(self.word()?),
            [tag] => return Err(DecodeError { offset, kind: DecodeErrorKind::OptionTag(tag) }),
        };
        Ok(CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite: self.suite })
    }
}
