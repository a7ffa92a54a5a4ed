//! Traces from files that other programs write: NumPy's `.npy` and Arrow IPC.
//!
//! A file holds the main columns of one table in row order, as integers below the field's order. [`TraceFile::open`]
//! maps it and compares its shape with the one that an AIR asks for; [`TraceFile::columns`] gives the columns as
//! [`Cells`]. A column whose integers are as wide as the field's (64 bits for Goldilocks, 32 for M31, signed or not)
//! and lie one after the other stays in the file; others are copied:
//!
//! | file | columns |
//! |---|---|
//! | `.npy`, Fortran's order (`np.save(path, np.asfortranarray(t))`) | in the file |
//! | `.npy`, C's order, which has a row's cells together | copied column by column |
//! | Arrow IPC of one record batch (`pyarrow.ipc.new_file`, not compressed) | in the file |
//! | Arrow IPC of several | copied, one after the other |
//! | integers of another width, in any file | copied |
//!
//! Arrow's are read with the feature `arrow` (a default one).
//!
//! The AIR bounds the reading: a file of another shape is refused before any value. Every value is checked, once, by
//! [`TraceFile::columns`]. **The file must not change until the proof is made**: its pages are read when they are
//! needed. A shorter file ends the process by a signal; a changed value gives no proof, as every proof is verified
//! before it is handed out.
#![deny(unsafe_code)]

#[cfg(feature = "arrow")]
mod arrow;
mod check;
mod error;
mod integers;
mod mapped;
mod npy;
mod shape;

use std::path::Path;

use air::Cells;
use bytes::Bytes;
use field::PrimeField;

pub use error::TraceFileError;
pub use shape::Shape;

/// The first bytes of an Arrow IPC file.
const ARROW_MAGIC: &[u8] = b"ARROW1";

/// A trace file that has the shape which was asked for. Its values are not read yet.
#[derive(Debug)]
pub struct TraceFile(Table);

#[derive(Debug)]
enum Table {
    Npy(npy::Table),
    #[cfg(feature = "arrow")]
    Arrow(arrow::Table),
}

impl TraceFile {
    /// Maps a file, and looks at all but its values: this takes time by the columns and record batches that it has, and
    /// no memory beyond.
    ///
    /// # Errors
    /// [`TraceFileError`] if it cannot be read, is of another format, or holds another table than is asked for.
    pub fn open(path: &Path, shape: Shape) -> Result<Self, TraceFileError> {
        Self::of_bytes(mapped::map(path)?, shape)
    }

    /// As [`Self::open`], of a file that is in memory.
    ///
    /// # Errors
    /// The errors of [`Self::open`].
    pub fn of_bytes(bytes: Bytes, shape: Shape) -> Result<Self, TraceFileError> {
        if bytes.starts_with(npy::MAGIC) {
            npy::Table::new(&bytes, shape).map(Table::Npy).map(Self)
        } else if bytes.starts_with(ARROW_MAGIC) {
            #[cfg(feature = "arrow")]
            return arrow::Table::new(&bytes, shape).map(Table::Arrow).map(Self);
            #[cfg(not(feature = "arrow"))]
            Err(TraceFileError::NoArrow)
        } else {
            Err(TraceFileError::Format)
        }
    }

    /// The columns. Memory: none for columns that stay in the file, else the size of the elements.
    ///
    /// # Errors
    /// [`TraceFileError`] if a value is no element of the field, or there is no memory.
    pub fn columns<F: PrimeField>(&self) -> Result<Vec<Cells<F>>, TraceFileError> {
        match &self.0 {
            Table::Npy(table) => table.columns(),
            #[cfg(feature = "arrow")]
            Table::Arrow(table) => table.columns(),
        }
    }
}
