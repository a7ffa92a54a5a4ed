//! Statements as data: the [`Air`] trait, the recorder that turns constraints written in ordinary Rust into
//! [`gpu_hal::ConstraintProgram`]s, and example AIRs.
//!
//! An AIR describes a trace of `n = 2^log_trace_length` rows: `m` main columns over the base field, `a` auxiliary
//! columns over the extension (functions of the main columns and of random challenges), transition constraints that
//! hold on [`Rows`], and boundary constraints that fix single cells. [`record`] runs [`Air::define`] once and checks
//! everything that can be checked without a trace; the [`RecordedAir`] result is all that a prover and a verifier need.
//!
//! The protocol on cosets (zerofiers, the combination, the composition at an out-of-domain point) is in the methods of
//! [`RecordedAir`] for `P: CosetProtocol`. [`check_trace`] finds the violated constraints of a trace without any proof.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod air;
pub mod airs;
mod boundary;
mod builder;
mod cells;
mod check;
mod column;
mod declared;
mod degree;
mod digest;
mod error;
mod expr;
mod expression;
pub mod file;
mod findings;
mod free_rows;
mod goldilocks;
mod layout;
mod names;
mod nonzero;
mod record;
mod recorded;
mod rows;
mod trace;
mod trace_program;

pub use air::Air;
pub use airs::ExampleAir;
pub use boundary::Boundary;
pub use builder::AirBuilder;
pub use cells::Cells;
pub use check::{TraceError, build_aux, check_columns, check_trace};
pub use column::{Column, Scan};
pub use error::AirError;
pub use expr::{Expr, Periodic};
pub use file::AirFile;
pub use findings::{
    Cell, Component, Findings, LookupUse, Lookups, Table, Uncancelled, Violation, element_text, signed_text,
};
pub use layout::Layout;
pub use nonzero::{NonZero, inputs, nonzero};
pub use record::record;
pub use recorded::{ConstraintKind, GroupRole, RecordedAir, RunningSpec};
pub use rows::{MAX_FACTORS, Rows};
pub use trace::Trace;
pub use trace_program::TraceProgram;
