//! The contract between a STARK prover and the hardware that it runs on.
//!
//! One trait, [`StarkBackend`], cut at operations (transform, hash, evaluate, fold), never at phases of a protocol. A
//! prover written against it names no backend; a backend sees columns, domains and constraint programs, never an AIR, a
//! transcript or a proof.
//!
//! # Rules that every backend keeps
//! 1. **Columns.** All data are base-field columns ([`Columns`]): column-major, one allocation, heights powers of two. A
//!    column over the extension of degree D is D base columns side by side, coordinate 0 first.
//! 2. **Order.** Evaluations on an extension (LDE) domain are in *storage order*: bit-reversed. Tables on the trace domain
//!    are in *row order*. Coefficients are in natural order. No other order exists.
//! 3. **Canonical.** Every element in a buffer is canonical, in `[0, p)`.
//! 4. **Pure.** A result depends on the arguments alone: not on the number of threads, tiles or devices, nor on timing. All
//!    arithmetic is exact, so all backends give the same bytes. The inverse of zero, where an operation meets one, is zero.
//! 5. **No fallback.** An operation is done by the device named in [`Capabilities`] or returns a [`HalError`]. What a
//!    backend cannot do is [`ErrorKind::Unsupported`], and it says so beforehand in [`Capabilities::operations`].
//! 6. **Validation at the edge.** Each operation first calls its function of [`check`], which refuses wrong shapes with
//!    [`ErrorKind::InvalidArgument`]; kernels behind it trust their input.
//! 7. **Recovery.** After an error the backend is usable again (but for [`ErrorKind::DeviceLost`]), and memory that the
//!    failed operation took is released.
//!
//! Operations enqueue on one in-order queue; only those that return host data ([`StarkBackend::download`], `root`, `open`,
//! `eval_at`, `logup`, `grind`) wait for it.
#![forbid(unsafe_code)]

mod backend;
mod buffer;
pub mod check;
mod decorate;
mod error;
mod footprint;
pub mod hash;
mod operation;
mod program;
mod protocol;
mod recurrence;

pub use backend::{
    Basis, Capabilities, Combination, CombinationGroup, Constraints, DeepTerm, EvalOrder, Factor, GrindChallenge,
    LeafLayout, Logup, LogupColumns, Map, MemoryInfo, Multiplier, OpenRequest, Opened, Running, RunningColumn,
    RunningKind, StarkBackend, TreeMap,
};
pub use buffer::{Columns, DeviceBuffer, DeviceTree, Uploaded};
pub use decorate::{
    Call, Count, Dual, DualBuffer, DualProgram, DualTree, Extension, Fault, Faulty, FaultyHook, Hook, Hooked, Meter,
    Metered, MeteredHook, Outcome, Place, Prepared, Rehearsal, Rehearsed, ShapeBuffer, ShapeTree, Step,
};
pub use error::{ErrorKind, HalError, Result};
pub use footprint::{Footprint, Shape};
pub use hash::{Digest, HashFn};
pub use operation::Operation;
pub use program::{
    ConstraintProgram, Group, Instruction, Kind, Node, NodeId, Op, Operand, ProgramBuilder, ProgramError, Schedule,
};
pub use protocol::{CircleDomain, CircleStark, CosetDomain, CosetProtocol, GoldilocksStark, Protocol};
pub use recurrence::Recurrence;
