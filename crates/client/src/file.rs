//! The bytes of a client proof: three that say the version, then the written proof of the circuit, packed by zstd.
//!
//! The frame has neither the length of its content nor a checksum. It is made by the streaming compressor of libzstd
//! 1.5.7 at level 3: other versions and the bulk call pack some proofs into other bytes, which verifiers take as well.

mod format;
#[cfg(not(target_family = "wasm"))]
mod libzstd;
#[cfg(any(test, target_family = "wasm"))]
mod portable;

pub use self::format::{FileError, VERSION};
#[cfg(not(target_family = "wasm"))]
pub use self::libzstd::pack;
#[cfg(not(target_family = "wasm"))]
use self::libzstd::unpack_frame;
#[cfg(target_family = "wasm")]
use self::portable::unpack_frame;

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
