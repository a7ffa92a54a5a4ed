//! Why a file holds no trace.

use crate::Shape;

/// Why a file holds no trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceFileError {
    /// The file cannot be opened or mapped.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Neither of the two formats.
    #[error(
        "neither a .npy file nor an Arrow IPC file (not the stream format): its first bytes are of no format that is read here"
    )]
    Format,
    /// An Arrow file, by a build without the feature `arrow`.
    #[error(
        "an Arrow IPC file, which this build does not read: build it with the feature `arrow`, or save a .npy file"
    )]
    NoArrow,
    /// The header of a `.npy` file.
    #[error("the .npy header: {0}")]
    Npy(String),
    /// The file ends early, or goes on.
    #[error("the file has {found} bytes, its header asks for {expected}{}", if found < expected { ": it is truncated" } else { "" })]
    Length {
        /// Bytes of the file.
        found: u64,
        /// Bytes by its header.
        expected: u64,
    },
    /// Something in an Arrow file.
    #[error("the Arrow file: {0}")]
    Arrow(String),
    /// Columns that are no table of a trace.
    #[error("{0}")]
    Shape(String),
    /// Another table than the AIR asks for.
    #[error(
        "it has {} columns and {} rows, the AIR has {} columns and {} rows",
        found.columns, found.rows, expected.columns, expected.rows
    )]
    OtherShape {
        /// The present shape; for an Arrow file of other columns or of more rows, with the rows that were counted so
        /// far.
        found: Shape,
        /// The needed shape.
        expected: Shape,
    },
    /// No row.
    #[error("there are no rows")]
    NoRows,
    /// No column.
    #[error("there is no column")]
    NoColumns,
    /// Not integers.
    #[error("column {column} is of the type {found}: integers of 8 to 64 bits, little-endian, signed or not, are read")]
    Type {
        /// The column.
        column: usize,
        /// Its type.
        found: String,
    },
    /// A missing value.
    #[error("column {column} has {count} nulls: every cell must have a value")]
    Nulls {
        /// The column.
        column: usize,
        /// How many.
        count: u64,
    },
    /// A value that is none of the field.
    #[error("column {column}, row {row}: {value} is no element of the field, whose elements are 0 to {largest}")]
    Value {
        /// The column.
        column: usize,
        /// The row.
        row: usize,
        /// The value.
        value: i128,
        /// The largest element.
        largest: u64,
    },
    /// The copy of a column that cannot stay in the file.
    #[error("no memory for a column of {rows} rows, which the file does not hold in one piece")]
    Memory {
        /// Its rows.
        rows: usize,
    },
}
