//! Measurements of a device, and its trials. Without the command line they are not compiled: `unmeasured.rs` stands in for them.

mod faulty;
mod subject;

use std::any::Any;

pub(crate) use bench::Measurable;
use bench::Measuring;
use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use gpu_hal::{HalError, StarkBackend};

pub(crate) use self::faulty::FaultyDevice;
use self::subject::Measured;
use crate::device::Device;
use crate::error::Error;
use crate::flavour::Flavour;
use crate::request::Request;
use crate::views::Facts;

impl<F: Flavour> Device<F> {
    /// Measures single operations.
    ///
    /// # Errors
    /// Those of [`bench::ops::measure`].
    pub fn measure_operations(&self, arguments: &OpsArguments, measuring: Measuring<'_>) -> Result<OpsReport, Error> {
        Ok(bench::ops::measure(&*self.backend, arguments, measuring)?)
    }

    /// Takes about so many bytes of the device, until what is returned is dropped.
    pub(crate) fn hold(&self, bytes: u64) -> Result<Box<dyn Any>, HalError> {
        let elements = bytes / size_of::<F::Base>() as u64;
        let table =
            self.backend.upload_made(&|_, elements| elements.fill(field::Field::ZERO), 1, elements.max(1).ilog2())?;
        Ok(Box::new(table))
    }

    /// Measures proofs of a statement and of other sizes of it.
    ///
    /// # Errors
    /// Those of [`bench::proof::measure`].
    pub fn measure_proofs(
        &self,
        request: &Request<F>,
        sizes: &[Request<F>],
        measuring: Measuring<'_>,
    ) -> Result<ProofReport<Facts<F>>, Error> {
        let airs = &self.airs;
        let backend = match self.in_parts.is_empty() {
            true => &self.backend,
            false => {
                let statement = airs.build(request)?;
                self.fitting(|backend| F::least_plan(backend, request, &statement))?.0
            }
        };
        let sizes: Vec<_> = sizes.iter().map(|request| Measured { airs, request }).collect();
        bench::proof::measure(&Measured { airs, request }, &sizes, backend, measuring)
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
