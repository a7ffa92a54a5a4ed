//! The contract between a STARK prover and the hardware that it runs on.
//!
//! It is cut at operations (transform, hash, evaluate, fold), never at phases of a protocol. A prover written against it names
//! no backend; a backend sees columns, domains and constraint programs, never an AIR, a transcript or a proof.
//!
//! # Three layers
//! | layer | who uses it |
//! |---|---|
//! | [`Types`]: what a backend's tables, trees and programs are. Arguments of operations are generic over these. | everyone |
//! | [`Operations`] (and [`TraceOperations`]): what hardware writes. Arguments arrive checked. | authors of backends |
//! | [`StarkBackend`]: the front. It checks arguments once, refuses what a backend does not list, and names errors. Whatever implements [`Operations`] is one. | provers, tests, benchmarks |
//!
//! [`Domain`] has the geometry of both protocols: points in storage order, neighbours, blocks, folding and lifting.
//!
//! # Rules that every backend keeps
//! 1. **Columns.** All data are base-field columns ([`Columns`]): column-major behind one handle, heights powers of two. A
//!    column over the extension of degree D is D base columns side by side, coordinate 0 first.
//! 2. **Order.** Evaluations on an extension (LDE) domain are in *storage order*: bit-reversed. Tables on the trace domain
//!    are in *row order*. Coefficients are in natural order. No other order exists.
//! 3. **Canonical.** Every element in a buffer is canonical, in `[0, p)`. `upload` and `upload_lde` refuse other elements.
//! 4. **Pure.** A result depends on the arguments alone: not on the number of threads, tiles or devices, nor on timing. All
//!    arithmetic is exact, so all backends give the same bytes. The inverse of zero, where an operation meets one, is zero.
//! 5. **No fallback.** The device named in [`Capabilities`] does an operation, or the operation returns a [`HalError`]. A
//!    backend lists what it can do in [`Capabilities::operations`]; the front answers the rest with
//!    [`ErrorKind::Unsupported`].
//! 6. **Validation at the front.** Wrong arguments are [`ErrorKind::InvalidArgument`] ([`check`]); kernels trust their input.
//! 7. **Recovery.** After an error the backend is usable again (but for [`ErrorKind::DeviceLost`]), and memory that the
//!    failed operation took is released.
//!
//! Operations enqueue on one in-order queue; only those that bring something to the host (elements, a root, a total, a nonce, or
//! whether elements were right) wait for it.
#![forbid(unsafe_code)]

mod arguments;
mod backend;
mod budget;
mod bytes;
mod capabilities;
pub mod check;
mod decorate;
mod domain;
mod error;
mod footprint;
pub mod hash;
mod operation;
mod operations;
mod program;
mod protocol;
mod recurrence;
mod rows;
mod types;

pub use arguments::{
    Accumulated, Basis, Combination, CombinationGroup, Constraints, DeepTerm, EvalAt, EvalOrder, Factor,
    GrindChallenge, LeafLayout, Leaves, MakeElements, Map, Multiplier, OpenRequest, Opened, RowRun, RowsMade, Running,
    RunningColumn, RunningForm, RunningKind, TreeMap, Values, Verdict,
};
pub use backend::StarkBackend;
pub use budget::{Budget, Refused, Reservation};
pub use bytes::Bytes;
pub use capabilities::{Capabilities, MemoryInfo};
pub use decorate::{
    Call, Count, Dual, DualBuffer, DualProgram, DualTree, DualTypes, Extension, Fault, Faulty, FaultyHook, Hook,
    Hooked, Meter, Metered, MeteredHook, Moment, Outcome, Prepared, Rehearsal, Rehearsed, ShapeBuffer, ShapeTree, Step,
};
pub use domain::{CircleDomain, CosetDomain, Domain};
pub use error::{ErrorKind, HalError, Result};
pub use footprint::{Footprint, Shape};
pub use hash::{Digest, HashFn};
pub use operation::Operation;
pub use operations::{Operations, TraceOperations};
pub use program::{
    ConstraintProgram, Group, Instruction, Kind, Node, NodeId, Op, Operand, ProgramBuilder, ProgramError, Schedule,
};
pub use protocol::{CircleStark, CosetProtocol, GoldilocksStark, Protocol};
pub use recurrence::Recurrence;
pub use rows::{
    Element, FELT_WORDS, MAX_SITES, MAX_WORDS, RowEffect, RowFault, RowKind, RowList, RowNode, RowOp, RowProgram,
    RowProgramError, RowRecorder, Words, lowered,
};
pub use types::{
    BaseOf, Columns, DeviceBuffer, DeviceProgram, DeviceTree, DomainOf, ExtOf, PointOf, Table, TableRef, Types,
    Uploaded,
};
