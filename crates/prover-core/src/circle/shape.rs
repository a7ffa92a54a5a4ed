//! The data that statements of one shape share.

use std::sync::Arc;

use circle_air::RecordedStatement;
use circle_proof::CircleOptions;
use gpu_hal::rehearsal::Prepared;
use gpu_hal::{CircleStark, StarkBackend};

use super::layout::Layout;
use super::plan::Plan;
use super::programs::{Programs, TracePrograms};

/// The facts of all statements of one shape.
pub(crate) struct StatementShape<B: StarkBackend<P = CircleStark>> {
    pub(crate) options: CircleOptions,
    /// Log2 of the common domain, `L`.
    pub(crate) log_domain: u32,
    pub(crate) recorded: RecordedStatement,
    pub(crate) layout: Layout,
    /// Whether the device makes the preprocessed columns.
    pub(crate) makes_preprocessed: bool,
    pub(crate) programs: Vec<Programs<Arc<Prepared<B::T>>>>,
    /// The programs that make the trace on the device, if the statement and the backend can.
    pub(crate) trace_programs: Option<TracePrograms<B>>,
}

/// The common facts of statements of one shape, and the plan of their proofs.
pub(crate) struct PlannedShape<B: StarkBackend<P = CircleStark>> {
    pub(crate) shape: Arc<StatementShape<B>>,
    pub(crate) plan: Plan,
    /// Bytes of the preprocessed columns.
    pub(crate) tree_bytes: u64,
}

/// The options, whether all preprocessed columns are sampled, and [`super::witness::TraceMaker::shape`].
pub(crate) type ShapeKey = (CircleOptions, bool, Vec<u64>);
