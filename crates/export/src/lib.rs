//! AIRs as text for other programs: JSON for whoever evaluates or verifies, SMT-LIB over finite fields for solvers,
//! Lean for proof assistants. `docs/export.md` defines the texts.
//!
//! A [`Document`] is an AIR of either protocol as data: constraints, lookups as tuples with what they promise, rows,
//! names. [`goldilocks`] and [`circle`] make one, [`json`], [`smt`] and [`lean`] write it. Equal AIRs have equal texts.
#![forbid(unsafe_code)]

mod base;
pub mod circle;
mod document;
pub mod goldilocks;
mod graph;
mod identifier;
mod inputs;
pub mod json;
pub mod lean;
mod promises;
pub mod smt;

pub use document::{
    Auxiliary, Boundary, Column, Component, Constraint, ConstraintRows, Document, Lookup, Node, PreprocessedColumn,
    PublicTuple, Role, Sums, Table,
};
