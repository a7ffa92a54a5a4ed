//! An operation with its inputs, ready to be timed.

use gpu_hal::op::{Cost, Op};
use gpu_hal::{Columns, HalError, Protocol, StarkBackend};

/// The result of an operation. It is dropped after the clock has stopped.
#[expect(dead_code, reason = "kept only to be dropped late")]
pub(crate) enum OperationResult<B: StarkBackend> {
    Nothing,
    Table(Columns<B::Buffer>),
    Tables(Vec<Columns<B::Buffer>>),
    Tree(B::Tree),
    Program(B::Program),
    Elements(Vec<<B::P as Protocol>::Base>),
}

/// An operation ready to be run any number of times.
pub(crate) struct Prepared<'a, B: StarkBackend> {
    pub(crate) run: Box<dyn FnMut() -> Result<OperationResult<B>, HalError> + 'a>,
    /// The least work of a run.
    pub(crate) cost: Cost,
    /// The number of things that a run makes, and their name. `None` if there is nothing to count.
    pub(crate) made: Option<(f64, &'static str)>,
}

/// The least work of an operation that is one call, or of one request.
pub(crate) fn cost<O: Op, B: StarkBackend>(args: &O::Args<'_, B::T>) -> Cost {
    O::costs::<B::T>(args).pop().unwrap_or_default()
}
