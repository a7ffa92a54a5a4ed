//! Packing and unpacking by libzstd.

use std::io::{self, Read};

use zstd::stream::read::Decoder;

use super::format::{FileError, LOG_WINDOW, VERSION};

/// The level of the compression.
const LEVEL: i32 = 3;

/// Packs a written proof of the circuit.
///
/// # Errors
/// If there is no memory for it.
pub fn pack(written: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = VERSION.to_vec();
    zstd::stream::copy_encode(written, &mut bytes, LEVEL)?;
    Ok(bytes)
}

/// The `expected` bytes in a frame.
pub(super) fn unpack_frame(frame: &[u8], expected: usize) -> Result<Vec<u8>, FileError> {
    let mut decoder = Decoder::with_buffer(frame).map_err(FileError::Zstd)?.single_frame();
    decoder.window_log_max(LOG_WINDOW).map_err(FileError::Zstd)?;
    let mut written = Vec::with_capacity(expected);
    decoder.by_ref().take(expected as u64 + 1).read_to_end(&mut written).map_err(FileError::Zstd)?;
    if written.len() != expected {
        return Err(FileError::Length { is_longer: written.len() > expected, expected });
    }
    match decoder.finish().len() {
        0 => Ok(written),
        left => Err(FileError::Trailing(left)),
    }
}
