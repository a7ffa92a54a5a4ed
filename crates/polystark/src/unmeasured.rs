//! What stands for measurements in a library without the command line: nothing is timed.

use gpu_hal::{Protocol, StarkBackend};

/// Any protocol.
pub trait Measurable {}

impl<P: Protocol> Measurable for P {}

/// Any backend.
pub(crate) trait MeasuredEngine<F> {}

impl<F, T> MeasuredEngine<F> for T {}

/// No clock.
pub(crate) trait Stopwatch<B: StarkBackend>: Send + Sync + 'static {}

/// No clock of the host.
pub(crate) struct Wall;

/// No clock of a GPU.
#[cfg(any(feature = "cuda", target_vendor = "apple"))]
pub(crate) use Wall as Events;

impl<B: StarkBackend> Stopwatch<B> for Wall {}
