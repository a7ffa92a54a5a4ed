//! Traces from files that other programs write: NumPy's `.npy` and Arrow IPC.
//!
//! A file holds the main columns of one table in row order, as integers below the field's order. [`read`] maps it and gives the
//! columns as [`Cells`]. A column whose integers are as wide as the field's (64 bits for Goldilocks, 32 for M31, signed or not) and lie
//! one after the other stays in the file; others are copied:
//!
//! | file | columns |
//! |---|---|
//! | `.npy`, Fortran's order (`np.save(path, np.asfortranarray(t))`) | in the file |
//! | `.npy`, C's order, which has a row's cells together | copied column by column |
//! | Arrow IPC of one record batch (`pyarrow.ipc.new_file`, not compressed) | in the file |
//! | Arrow IPC of several | copied, one after the other |
//! | integers of another width, in any file | copied |
//!
//! Every value is checked, once, before [`read`] returns. **The file must not change until the proof is made**: its pages are read
//! when they are needed. A shorter file ends the process by a signal; a changed value gives no proof, as every proof is verified
//! before it is handed out.
#![deny(unsafe_code)]

mod arrow;
mod error;
mod integers;
mod mapped;
mod npy;

use std::path::Path;

use air::Cells;
use field::PrimeField;

pub use error::TraceFileError;

/// The columns of a trace file.
///
/// # Errors
/// [`TraceFileError`] if it cannot be read, is of another format, or has a value that is no element of the field.
pub fn read<F: PrimeField>(path: &Path) -> Result<Vec<Cells<F>>, TraceFileError> {
    of_bytes(mapped::map(path)?)
}

/// As [`read`], of a file that is in memory.
///
/// # Errors
/// Those of [`read`].
pub fn of_bytes<F: PrimeField>(bytes: bytes::Bytes) -> Result<Vec<Cells<F>>, TraceFileError> {
    if bytes.starts_with(npy::MAGIC) {
        npy::columns(&bytes)
    } else if bytes.starts_with(arrow::MAGIC) {
        arrow::columns(&bytes)
    } else {
        Err(TraceFileError::Format)
    }
}
