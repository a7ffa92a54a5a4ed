//! The head of a client proof, and why bytes are none.

use std::io;

use proof_format::text::parser_message;

/// The first bytes: the version of the prover whose format this is, 1.2.2.
pub const VERSION: [u8; 3] = [1, 2, 2];
/// Log2 of the bytes that unpacking may look back at: as frames of level 3 say.
pub(super) const LOG_WINDOW: u32 = 21;

/// Why bytes are no client proof.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Not the version that is known.
    #[error("the bytes begin with {found:?}, client proofs with {VERSION:?}: it is none, or one of another version")]
    Version {
        /// The first bytes, at most three.
        found: Vec<u8>,
    },
    /// No frame of zstd.
    #[error("no frame of zstd: {}", parser_message(&_0.to_string()))]
    Zstd(io::Error),
    /// The frame holds another number of bytes.
    #[error("the frame holds {} bytes, a proof has {expected}", if *.is_longer { "more" } else { "fewer" })]
    Length {
        /// Whether there are more.
        is_longer: bool,
        /// Bytes of every proof.
        expected: usize,
    },
    /// Bytes follow the frame.
    #[error("{0} bytes follow the packed proof")]
    Trailing(usize),
}
