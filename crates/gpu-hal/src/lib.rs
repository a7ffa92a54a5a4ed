//! The contract between a STARK prover and the hardware that it runs on.
//!
//! It is cut at operations (transform, hash, evaluate, fold), never at phases of a protocol. A prover written against
//! it names no backend; a backend sees columns, domains and constraint programs, never an AIR, a transcript or a proof.
//!
//! # Three layers
//! | layer | its users |
//! |---|---|
//! | [`Types`]: the types of a backend's tables, trees and programs. Arguments of operations are generic over these. | everyone |
//! | [`Operations`] (and [`PlacementOperations`]): the operations that hardware implements. Arguments arrive checked. | authors of backends |
//! | [`StarkBackend`]: the front. It checks arguments once, refuses operations that a backend does not list, and names errors. Every implementation of [`Operations`] is one. | provers, tests, benchmarks |
//!
//! A backend is a type. [`erased::Device`] is one as a value: code compiled for it serves all backends of a protocol.
//!
//! [`Domain`] has the geometry of both protocols: points in storage order, neighbours, blocks, folding and lifting.
//!
//! The root has the types that every backend needs. Backends around others are in [`decorate`], programs in [`ir`],
//! operations as values in [`op`], prices of their costs in [`work`], plans in [`rehearsal`], clocks in [`clock`],
//! stashed tables in [`stash`].
//!
//! # Rules that every backend keeps
//! 1. **Columns.** All data are base-field columns ([`Columns`]): column-major behind one handle, heights powers of
//!    two. A column over the extension of degree D is D base columns side by side, coordinate 0 first.
//! 2. **Order.** Evaluations on an extension (LDE) domain are in *storage order*: bit-reversed. Tables on the trace
//!    domain are in *row order*. Coefficients are in natural order. No other order exists.
//! 3. **Canonical.** Every element in a buffer is canonical, in `[0, p)`. `upload` and `upload_lde` refuse other
//!    elements.
//! 4. **Pure.** A result depends on the arguments alone: not on the number of threads, tiles or devices, nor on timing.
//!    All arithmetic is exact, so all backends give the same bytes. The inverse of zero, where an operation meets one,
//!    is zero.
//! 5. **No fallback.** The device named in [`Capabilities`] does an operation, or the operation returns a [`HalError`].
//!    A backend lists its operations in [`Capabilities::operations`]; the front answers the rest with
//!    [`ErrorKind::Unsupported`].
//! 6. **Validation at the front.** Wrong arguments are [`ErrorKind::InvalidArgument`] ([`op::Op::check`]); kernels
//!    trust their input.
//! 7. **Recovery.** After an error the backend is usable again (except after [`ErrorKind::DeviceLost`]), and memory
//!    that the failed operation took is released.
//!
//! Operations enqueue on one in-order queue; only operations that bring something to the host (elements, a root, a
//! total, a nonce, or whether elements were right) wait for it.
//!
//! # Without the standard library
//! The feature `std` is on by default. Without it the crate takes `core` and `alloc` alone and has the parts that a
//! verifier needs: protocols, domains, constraint programs, names and definitions of the hashes.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod arguments;
#[cfg(feature = "std")]
mod backend;
#[cfg(feature = "std")]
pub mod budget;
mod built;
#[cfg(feature = "std")]
mod call;
#[cfg(feature = "std")]
mod cancel_token;
#[cfg(feature = "std")]
mod capabilities;
#[cfg(feature = "std")]
pub mod check;
#[cfg(feature = "std")]
pub mod clock;
#[cfg(feature = "std")]
pub mod decorate;
#[cfg(feature = "std")]
pub mod erased;
#[cfg(feature = "std")]
mod error;
#[cfg(feature = "std")]
mod footprint;
#[cfg(feature = "std")]
mod front;
pub mod hash;
#[cfg(feature = "std")]
pub mod op;
#[cfg(feature = "std")]
mod operation;
#[cfg(feature = "std")]
mod operations;
mod recurrence;
#[cfg(feature = "std")]
pub mod rehearsal;
#[cfg(feature = "std")]
mod sealed;
#[cfg(feature = "std")]
pub mod stash;
mod types;
#[cfg(feature = "std")]
pub mod work;

pub use ::ir;
pub use ::ir::ConstraintProgram;
pub use arguments::{
    Accumulated, Basis, BindRequest, BindSumRequest, BoundSums, Combination, CombinationGroup, Constraints, DeepTerm,
    EvalOrder, EvalRequest, Factor, LeafLayout, Leaves, MakeElements, MapArgs, Multilinear, Multiplier, OpenRequest,
    Opened, RandomRows, RunningColumn, RunningForm, RunningKind, RunningRequest, SumRequest, TreeMapArgs, Values,
};
#[cfg(feature = "std")]
pub use arguments::{DeferredFault, RowRun, RowsOutput};
pub use built::{BUILT, Built};
pub use field::protocol::{CircleDomain, CircleStark, CosetDomain, CosetProtocol, Domain, GoldilocksStark, Protocol};
pub use field::{Bytes, Hex};
pub use hash::{Digest, HashFn, LOG_WINDOW, NonceSearch};
pub use recurrence::LinearRecurrence;
pub use types::{
    BaseOf, Columns, DeviceBuffer, DeviceProgram, DeviceTree, DomainOf, ExtOf, PointOf, Table, TableRef, Types,
    Uploaded,
};
#[cfg(feature = "std")]
pub use {
    backend::StarkBackend,
    budget::Budget,
    cancel_token::CancelToken,
    capabilities::{Capabilities, MemoryInfo},
    clock::DeviceClock,
    error::{ErrorKind, ErrorSite, HalError, Result},
    footprint::{Footprint, OpenSizes, Shape, shapes},
    ir::RowProgram,
    operation::Operation,
    operations::{Operations, Placement, PlacementOperations, Rehearse},
};
