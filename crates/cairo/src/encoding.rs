//! How proofs are written down: the formats of files, the encodings of serde in them, and the errors of both.

use bincode1::Options as _;
use circle_proof::Suite;
use proof_format::PolicyError;
use proof_format::text::parser_message;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::VerifyError;
use crate::keys;

proof_format::named! {
    /// How a proof is written down, by its name on the command line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Format {
        /// Bincode, packed by bzip2: the shortest.
        Binary = "binary",
        /// As `Binary`, with the auxiliary data of the reference's prover, which its tools for circuits read. It
        /// follows from the proof. The reference writes its maps in an order that changes from run to run; here they
        /// are sorted.
        ExtendedBinary = "extended-binary",
        /// JSON.
        Json = "json",
        /// Felts for the verifier that is written in Cairo. Can't be read again.
        CairoSerde = "cairo-serde",
        /// Bincode.
        Bincode = "bincode",
    }
}

impl Format {
    /// The format of a file, by its first bytes: bzip2 and JSON have their own, a length below 2^32 in 8 bytes ends
    /// with zeros. It says the first of the two packed ones.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let start = &bytes[..bytes.len().min(8)];
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(_) if start.starts_with(b"BZh") => Self::Binary,
            Some(b'{') if !start.contains(&0) => Self::Json,
            Some(b'[') if !start.contains(&0) => Self::CairoSerde,
            _ => Self::Bincode,
        }
    }
}

/// How serde writes a proof down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bincode 1.
    Bincode,
    /// JSON without spaces.
    Json,
    /// JSON in lines, as the reference's own tool writes it.
    JsonInLines,
}

impl Encoding {
    pub(crate) fn write<T: Serialize>(self, value: &T) -> Result<Vec<u8>, FileError> {
        match self {
            Self::Bincode => bincode1::serialize(value).map_err(FileError::Bincode),
            Self::Json => serde_json::to_vec(value).map_err(FileError::Json),
            Self::JsonInLines => serde_json::to_vec_pretty(value).map_err(FileError::Json),
        }
    }

    /// A value has one encoding in bincode.
    pub(crate) fn read<T: DeserializeOwned + Serialize>(self, bytes: &[u8]) -> Result<T, FileError> {
        match self {
            Self::Bincode => of_bincode(bytes),
            Self::Json | Self::JsonInLines => {
                let value = serde_json::from_slice(bytes).map_err(FileError::Json)?;
                match keys::unknown(bytes, &value).map_err(FileError::Json)? {
                    Some(key) => Err(FileError::UnknownKey { key }),
                    None => Ok(value),
                }
            }
        }
    }
}

/// Why a file holds no proof, or a proof can't be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Longer than the policy has it read.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// It is packed, but not by bzip2.
    #[error("the file is no proof in the format binary: bzip2: {0}")]
    Bzip2(std::io::Error),
    /// Bytes follow the packed ones.
    #[error("{0} bytes follow the packed proof")]
    Trailing(usize),
    /// It ends before the proof does, or a length in it is wrong.
    #[error("the file is truncated: its {end} bytes end before the proof does, in the format {}", format.name())]
    Truncated {
        /// Bytes of the file.
        end: usize,
        /// The format of its beginning.
        format: Format,
    },
    /// It is no encoding of a proof.
    #[error(
        "the file is no proof of a Cairo program (binary, extended-binary, json or bincode), or a truncated one: {0}"
    )]
    Bincode(bincode1::Error),
    /// It is JSON, but of something else.
    #[error("the file is no proof in the format json: {}", parser_message(&_0.to_string()))]
    Json(serde_json::Error),
    /// It is JSON of a proof, and of more.
    #[error("the file is JSON of a proof with the key `{}`, which no proof has: remove it", parser_message(key))]
    UnknownKey {
        /// The keys on the way to it, with dots between them, and it.
        key: String,
    },
    /// It is a proof of another suite. It may be valid.
    #[error("the file is a proof with the hash functions {found}, not {expected}: --channel {found} admits it")]
    OtherSuite {
        /// As it is.
        found: Suite,
        /// As the caller says.
        expected: Suite,
    },
    /// A node of a tree is no digest of the suite.
    #[error("a node of a tree in the proof is no digest of its hash function: it is not below the prime")]
    Digest,
    /// It is for another verifier.
    #[error(
        "the file is a proof in the format cairo-serde, which only the verifier in Cairo reads: write it in another"
    )]
    CairoSerde,
    /// The verifier in Cairo has no proofs with fewer than eleven builtins.
    #[error(
        "the format cairo-serde has no proofs of programs that do not take all eleven builtins: take another format"
    )]
    Builtins,
    /// A proof has no auxiliary data, because it is none.
    #[error("the auxiliary data of the proof: {0}")]
    NotExtended(#[from] Box<VerifyError>),
    /// The auxiliary data in a file is not that of the proof beside it.
    #[error(
        "the auxiliary data in the file is not the proof's, or is there twice: write the proof again, as extended-binary"
    )]
    Auxiliary,
    /// The lists of the proof are not as long as its claim says.
    #[error("the queried values are not those of the claim: {0}")]
    Queried(&'static str),
}

impl FileError {
    /// Whether only the policy is against the file: another policy may take it.
    pub fn is_policy(&self) -> bool {
        matches!(self, Self::Policy(_) | Self::OtherSuite { .. })
    }
}

pub(crate) fn of_bincode<P: DeserializeOwned>(bytes: &[u8]) -> Result<P, FileError> {
    // The limit also bounds the lengths of lists, before memory is taken for them.
    let options = bincode1::DefaultOptions::new().with_fixint_encoding().with_limit(bytes.len() as u64);
    options.reject_trailing_bytes().deserialize(bytes).map_err(FileError::Bincode)
}
