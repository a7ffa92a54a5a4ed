//! Measurements of a backend, whichever it is. Without the command line they are not compiled: `unmeasured.rs` stands in for them.

mod subject;

#[cfg(any(feature = "cuda", target_vendor = "apple"))]
pub(crate) use bench::Events;
use bench::Measuring;
use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
pub(crate) use bench::{Measurable, Stopwatch, Wall};
use gpu_hal::StarkBackend;

use self::subject::Measured;
use crate::airs::Airs;
use crate::device::Device;
use crate::engine::Timed;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::request::Request;
use crate::views::Facts;

/// What is measured of a backend.
pub(crate) trait MeasuredEngine<F: Flavour> {
    fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error>;

    fn measure_proofs(
        self: Box<Self>,
        airs: &Airs<F>,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error>;
}

impl<F: Flavour, B: StarkBackend<P = F>, S: Stopwatch<B>> MeasuredEngine<F> for Timed<B, S> {
    fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        Ok(bench::ops::measure(&*self.backend, &self.stopwatch, arguments, measuring)?)
    }

    fn measure_proofs(
        self: Box<Self>,
        airs: &Airs<F>,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        let backend = match self.in_parts.is_empty() {
            true => self.backend,
            false => {
                let statement = airs.build(request)?;
                self.fitting(|backend| F::least_plan(backend, request, &statement))?.0.clone()
            }
        };
        let sizes: Vec<_> = sizes.iter().map(|request| Measured { airs, request }).collect();
        bench::proof::measure(&Measured { airs, request }, &sizes, backend, self.stopwatch, measuring)
    }
}

impl<F: Flavour> Device<F> {
    /// A backend that a clock of its own times better, such as the events of a GPU.
    pub fn with_stopwatch<B: StarkBackend<P = F>, S: Stopwatch<B>>(backend: B, stopwatch: S) -> Self {
        Self::timed(backend, stopwatch)
    }

    /// Measures single operations.
    ///
    /// # Errors
    /// Those of [`bench::ops::measure`].
    pub fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        self.engine.measure_operations(arguments, measuring)
    }

    /// Measures proofs of a statement and of other sizes of it.
    ///
    /// # Errors
    /// Those of [`bench::proof::measure`].
    pub fn measure_proofs(
        self,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        self.engine.measure_proofs(&self.airs, request, sizes, measuring)
    }
}

impl From<bench::Error> for Error {
    fn from(error: bench::Error) -> Self {
        match error {
            bench::Error::Backend(error) => Self::Backend(error),
            error => Self::Measure(error),
        }
    }
}
