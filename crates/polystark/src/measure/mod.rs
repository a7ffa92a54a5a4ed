//! Measurements of a backend, whichever it is, and its trials. Without the command line they are not compiled: `unmeasured.rs` stands in for them.

mod faulty;
mod subject;

use std::any::Any;
use std::sync::Arc;

#[cfg(any(feature = "cuda", target_vendor = "apple"))]
pub(crate) use bench::Events;
use bench::Measuring;
use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
pub(crate) use bench::{Measurable, Stopwatch, Wall};
use gpu_hal::{BaseOf, FaultyHook, HalError, StarkBackend};

pub(crate) use self::faulty::FaultyDevice;
use self::faulty::FaultyEngine;
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

    /// The same backend with faults.
    fn with_faults(self: Box<Self>, faults: Arc<FaultyHook>) -> Result<Box<dyn FaultyEngine<F>>, Error>;

    /// Takes about so many bytes of the device, until what is returned is dropped.
    fn hold(&self, bytes: u64) -> Result<Box<dyn Any>, HalError>;
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

    fn with_faults(self: Box<Self>, faults: Arc<FaultyHook>) -> Result<Box<dyn FaultyEngine<F>>, Error> {
        let Self { backend, in_parts, stopwatch } = *self;
        let probe = |backend| {
            let own = Arc::into_inner(backend).ok_or_else(|| HalError::invalid("open", "the backend is shared"))?;
            Ok::<_, HalError>(Arc::new(bench::faulty::<B, S>(own, Arc::clone(&faults))))
        };
        let in_parts = in_parts.into_iter().map(probe).collect::<Result<_, _>>()?;
        Ok(Box::new(Timed { backend: probe(backend)?, in_parts, stopwatch }))
    }

    fn hold(&self, bytes: u64) -> Result<Box<dyn Any>, HalError> {
        let elements = bytes / size_of::<BaseOf<B::T>>() as u64;
        let table =
            self.backend.upload_made(&|_, elements| elements.fill(field::Field::ZERO), 1, elements.max(1).ilog2())?;
        Ok(Box::new(table))
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

    /// Takes about so many bytes of the device, until what is returned is dropped.
    pub(crate) fn hold(&self, bytes: u64) -> Result<Box<dyn Any>, HalError> {
        self.engine.hold(bytes)
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
