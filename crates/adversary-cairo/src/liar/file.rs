//! Lies in the files of proofs.

use cairo::Proof;
use cairo::file::{FileError, Format, encode};
use circle_proof::Suite;

/// A file that is no proof, and the check that must stop it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileLie {
    /// The last byte of a packed proof is missing: the end of the file stops it.
    ShortBinary,
    /// A byte follows a packed proof: the check for remaining bytes stops it.
    LongBinary,
    /// It begins as a packed proof does, and is none: bzip2 stops it.
    NotPacked,
    /// The last byte of a proof in bincode is missing: its decoder stops it.
    ShortBincode,
    /// A byte follows a proof in bincode: its decoder stops it.
    LongBincode,
    /// The first list of a proof in bincode claims to be longer than the file: its decoder stops it.
    LongList,
    /// The last byte of a proof in JSON is missing: the end of the file stops it.
    ShortJson,
    /// Something follows a proof in JSON: its decoder stops it.
    LongJson,
    /// A number in JSON is below zero: its decoder stops it.
    NegativeNumber,
    /// Something in JSON has another name: its decoder stops it.
    OtherName,
    /// It is for the verifier in Cairo: the look at the format stops it.
    ForCairo,
}

impl FileLie {
    /// All lies.
    pub const ALL: &[Self] = &[
        Self::ShortBinary,
        Self::LongBinary,
        Self::NotPacked,
        Self::ShortBincode,
        Self::LongBincode,
        Self::LongList,
        Self::ShortJson,
        Self::LongJson,
        Self::NegativeNumber,
        Self::OtherName,
        Self::ForCairo,
    ];

    /// The file of a proof of this suite.
    ///
    /// # Errors
    /// If the proof has no such form.
    pub fn tell(self, proof: &Proof, suite: Suite) -> Result<Vec<u8>, FileError> {
        let format = match self {
            Self::ShortBinary | Self::LongBinary | Self::NotPacked => Format::Binary,
            Self::ShortBincode | Self::LongBincode | Self::LongList => Format::Bincode,
            _ => Format::Json,
        };
        let mut bytes = encode(proof, format, suite)?;
        let replaced = |bytes: &[u8], from: &str, to: &str| String::from_utf8_lossy(bytes).replacen(from, to, 1);
        match self {
            Self::ShortBinary | Self::ShortBincode | Self::ShortJson => {
                bytes.pop();
            }
            Self::LongBinary | Self::LongBincode | Self::LongJson => bytes.push(b'1'),
            Self::NotPacked => bytes[4..].fill(0x55),
            Self::LongList => bytes[..8].copy_from_slice(&(1u64 << 31).to_le_bytes()),
            Self::NegativeNumber => bytes = replaced(&bytes, "\"channel_salt\":", "\"channel_salt\":-1").into_bytes(),
            Self::OtherName => bytes = replaced(&bytes, "\"channel_salt\"", "\"channel_sugar\"").into_bytes(),
            Self::ForCairo => bytes = b"[\"0x0\"]".to_vec(),
        }
        Ok(bytes)
    }

    /// Whether a refusal is by the check that is there for this lie.
    pub fn stops(self, error: &FileError) -> bool {
        match self {
            Self::ShortBinary => matches!(error, FileError::Truncated { format: Format::Binary, .. }),
            Self::ShortJson => matches!(error, FileError::Truncated { format: Format::Json, .. }),
            Self::LongBinary => matches!(error, FileError::Trailing(1)),
            Self::NotPacked => matches!(error, FileError::Bzip2(_)),
            Self::ShortBincode | Self::LongBincode | Self::LongList => matches!(error, FileError::Bincode(_)),
            Self::LongJson | Self::NegativeNumber | Self::OtherName => matches!(error, FileError::Json(_)),
            Self::ForCairo => matches!(error, FileError::CairoSerde),
        }
    }
}
