//! An operation with its inputs, ready to be timed.

use gpu_hal::{Columns, Fields, HalError, StarkBackend};

use crate::amount::Work;

/// What an operation returned. It is dropped after the clock has stopped.
#[expect(dead_code, reason = "kept only to be dropped late")]
pub(crate) enum Kept<B: StarkBackend> {
    Nothing,
    Table(Columns<B::Buffer>),
    Tables(Vec<Columns<B::Buffer>>),
    Tree(B::Tree),
    Program(B::Program),
    Elements(Vec<<B::P as Fields>::Base>),
}

/// An operation ready to be run any number of times.
pub(crate) struct Prepared<'a, B: StarkBackend> {
    pub(crate) run: Box<dyn FnMut() -> Result<Kept<B>, HalError> + 'a>,
    /// The least work of a run.
    pub(crate) work: Work,
    /// What a run makes: how many of what. `None` if there is nothing to count.
    pub(crate) made: Option<(f64, &'static str)>,
}
