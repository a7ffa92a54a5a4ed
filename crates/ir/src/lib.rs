//! Constraints and traces as data: every backend runs them, by interpreting a program or compiling it.
//!
//! | program | made by | ready to run |
//! |---|---|---|
//! | [`ConstraintProgram`]: an expression graph over columns | [`ProgramBuilder`] | [`Schedule`] |
//! | [`RowProgram`]: straight-line code for each row of a table | [`RowRecorder`] | [`lowered::Schedule`] |
//!
//! [`text`] writes a program out as a kernel in C, for a compiler of GPUs or of processors.
//!
//! # Without the standard library
//! The feature `std` is on by default. Without it the crate takes `core` and `alloc` alone and has constraint programs
//! and their schedules, which a verifier needs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod builder;
mod program;
#[cfg(feature = "std")]
mod rows;
mod schedule;
#[cfg(feature = "std")]
pub mod text;

pub use builder::{ProgramBuilder, ProgramError};
pub use program::{ConstraintProgram, Group, Kind, Node, NodeId, NodeOp};
#[cfg(feature = "std")]
pub use rows::{
    Element, FELT_WORDS, MAX_SITES, MAX_WORDS, RowEffect, RowFault, RowKind, RowList, RowNode, RowOp, RowProgram,
    RowProgramError, RowRecorder, Words, lowered,
};
pub use schedule::{Instruction, Operand, Schedule};
