//! Traces as data: a typed straight-line program that is run for every row of a table by itself.
//!
//! A value is a *vector* of one or more 32-bit words, or one element of the base field. The operation decides the
//! meaning of the words: numbers one by one, the digits of one integer (least significant first), or an element of a
//! prime field that the program names. A row reads a *source entry* (the values that this row is about) and *tables* at
//! computed indices. It writes columns, *emits* entries for the sources of other programs, and *counts* uses of table
//! entries.

mod error;
mod fault;
pub mod lowered;
mod operations;
mod program;
mod recorder;
mod sizes;
mod valid;
mod values;

pub use error::RowProgramError;
pub use fault::RowFault;
pub use program::{RowEffect, RowKind, RowList, RowNode, RowOp, RowProgram};
pub use recorder::RowRecorder;
pub use sizes::{FELT_WORDS, MAX_SITES, MAX_WORDS};
pub use values::{Element, Words};
