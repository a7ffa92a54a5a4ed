//! The bytes of a client proof: three that say the version, then the written proof of the circuit, packed by zstd.
//!
//! The frame has neither the length of its content nor a checksum. It is made by the streaming compressor of libzstd
//! 1.5.7 at level 3: other versions and the bulk call pack some proofs into other bytes, which verifiers take as well.

#[cfg(not(target_family = "wasm"))]
mod libzstd;
#[cfg(any(test, target_family = "wasm"))]
mod portable;

use std::io;

use proof_format::text::said;

#[cfg(not(target_family = "wasm"))]
pub use self::libzstd::pack;
#[cfg(not(target_family = "wasm"))]
use self::libzstd::unpack_frame;
#[cfg(target_family = "wasm")]
use self::portable::unpack_frame;

/// The first bytes: the version of the prover whose format this is, 1.2.2.
pub const VERSION: [u8; 3] = [1, 2, 2];
/// Log2 of the bytes that unpacking may look back at: as frames of level 3 say.
const LOG_WINDOW: u32 = 21;

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
    #[error("no frame of zstd: {}", said(&_0.to_string()))]
    Zstd(io::Error),
    /// The frame holds another number of bytes.
    #[error("the frame holds {} bytes, a proof has {expected}", if *.is_longer { "more" } else { "fewer" })]
    Length {
        /// Whether there are more.
        is_longer: bool,
        /// Of every proof.
        expected: usize,
    },
    /// Bytes follow the frame.
    #[error("{0} bytes follow the packed proof")]
    Trailing(usize),
}

/// The written proof of `expected` bytes in a file. It takes memory for that many, and for the window.
///
/// # Errors
/// [`FileError`].
pub fn unpack(bytes: &[u8], expected: usize) -> Result<Vec<u8>, FileError> {
    let Some(frame) = bytes.strip_prefix(&VERSION) else {
        return Err(FileError::Version { found: bytes[..bytes.len().min(VERSION.len())].to_vec() });
    };
    unpack_frame(frame, expected)
}
