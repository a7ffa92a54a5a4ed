//! Preprocessed columns that are committed to before the statement is known that reads them.

use std::ops::ControlFlow;
use std::sync::Arc;

use circle_proof::CircleOptions;
use field::QM31;
use gpu_hal::budget::Reservation;
use gpu_hal::{CircleStark, ErrorKind, HalError, Rehearse, StarkBackend};

use super::ProveError;
use super::layout::tables;
use super::preprocessed::{PreprocessedColumns, PreprocessedTrace};
use crate::memory::{MemoryError, Need, reserve};
use crate::mode::{DryRun, OnDevice};
use crate::observer::Observer;

/// Preprocessed columns that were committed to ahead of a statement, and the promise of the memory that they take.
///
/// They are what the plan of every statement that shares them begins with: the same operations in the same order, and
/// no more memory. A [`super::Prover`] that finds room beside them takes them as they are. If others hold the memory it
/// gives them back, chooses by the room that there is then, and waits, as one without such columns does. Until then
/// their memory is held: other proofs on the backend that lack it wait until a prover takes the columns or they are
/// dropped.
pub struct PreprocessedAhead<B: StarkBackend<P = CircleStark>> {
    trace: Arc<PreprocessedTrace<B>>,
    bytes: u64,
    promise: Reservation,
}

/// Preprocessed columns that are on a backend before a statement is made ready there.
pub enum GivenColumns<B: StarkBackend<P = CircleStark>> {
    /// Columns of another prover: [`super::Prover::preprocessed`].
    Shared(Arc<PreprocessedTrace<B>>),
    /// Columns that were committed to ahead.
    Ahead(PreprocessedAhead<B>),
}

impl<B: StarkBackend<P = CircleStark>> GivenColumns<B> {
    pub(crate) fn trace(&self) -> &PreprocessedTrace<B> {
        match self {
            Self::Shared(trace) => trace,
            Self::Ahead(ahead) => &ahead.trace,
        }
    }
}

impl<B: StarkBackend<P = CircleStark>> PreprocessedAhead<B> {
    /// Commits to columns on a backend, which all statements with these options share. `None` where there is no room
    /// for them at once, where they take more than `most` bytes, or where no proof has such columns with these options:
    /// the plan of a statement says what is missing, and its error what is wrong.
    ///
    /// # Errors
    /// Values of another shape than declared, or the backend's errors.
    pub fn new(
        backend: &Arc<B>,
        columns: &PreprocessedColumns<'_>,
        options: &CircleOptions,
        most: u64,
    ) -> Result<Option<Self>, ProveError> {
        let highest = columns.declared.iter().map(|column| column.log_size).max();
        if highest.is_none_or(|log_size| options.validate(log_size).is_err()) {
            return Ok(None);
        }
        let tables = tables(&columns.declared, true);
        let shapes = B::Shapes::of(backend.clone());
        shapes.enter("preprocessed columns");
        let rehearsed = PreprocessedTrace::new(DryRun, &shapes, columns, None, &tables, options);
        let Some(rehearsed) = unless_too_large(rehearsed)? else { return Ok(None) };
        let found = shapes.finish();
        drop(rehearsed);
        let (bytes, at) = (found.live_bytes, found.peak_at);
        if bytes > most {
            return Ok(None);
        }
        // Memory that lasts, then memory that the work takes beside it.
        let promise = |bytes| reserve_at_once(&**backend, Need { peak: bytes, held: 0, at });
        let Ok(lasting) = promise(bytes)? else { return Ok(None) };
        let Ok(working) = promise(found.peak_bytes.saturating_sub(bytes))? else { return Ok(None) };
        let made = PreprocessedTrace::new(OnDevice::Proof, &**backend, columns, None, &tables, options);
        drop(working);
        let made = unless_too_large(made)?;
        Ok(made.map(|trace| Self { trace: Arc::new(trace.on(backend)), bytes, promise: lasting }))
    }

    /// The columns, for any number of provers on the backend. Their memory is no longer promised, but taken.
    pub fn into_shared(self) -> Arc<PreprocessedTrace<B>> {
        self.promise.keep(self.bytes);
        self.trace
    }
}

/// Promises memory if it is free now; waits for nobody.
pub(crate) fn reserve_at_once<B: StarkBackend>(
    backend: &B,
    need: Need,
) -> Result<Result<Reservation, MemoryError>, HalError> {
    reserve::<_, QM31>(backend, need, &AtOnce)
}

/// Waits for nobody.
struct AtOnce;

impl<E> Observer<E> for AtOnce {
    fn occupied(&self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

/// `None` where an operation found too little memory.
fn unless_too_large<T>(made: Result<T, ProveError>) -> Result<Option<T>, ProveError> {
    match made {
        Err(ProveError::Hal(error)) if error.kind == ErrorKind::OutOfMemory => Ok(None),
        made => made.map(Some),
    }
}
