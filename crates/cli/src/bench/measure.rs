//! Measurements of a device and of proofs on it.

mod subject;

use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use bench::{Measurable, Measuring};
use sdk::{Airs, Device, Error, ProofSystem, Proven, Request};

use self::subject::{Facts, Measured};
use crate::protocol::CommandLine;
use crate::report::exit::{Code, Failure};

/// Measures single operations.
pub(super) fn operations<F: ProofSystem + Measurable>(
    device: &Device<F>,
    arguments: &OpsArguments,
    measuring: Measuring<'_>,
) -> Result<OpsReport, Failure> {
    bench::ops::measure(&**device.backend(), arguments, measuring).map_err(failed)
}

/// Why there is no measurement.
pub(super) fn failed(error: bench::Error) -> Failure {
    match error {
        bench::Error::Backend(error) => Error::from(error).into(),
        error => Failure::new(Code::Device, error.to_string()),
    }
}

/// Measures proofs of a statement and of other sizes of it.
pub(super) fn proofs<F: CommandLine + Measurable>(
    device: &Device<F>,
    nonce: fn(&Airs<F>, &Proven<F>) -> Result<u64, Error>,
    request: &Request<F>,
    sizes: &[Request<F>],
    measuring: Measuring<'_>,
) -> Result<ProofReport<Facts<F>>, Error> {
    let airs = device.airs();
    let backend = device.backend_for(request)?;
    let sizes: Vec<_> = sizes.iter().map(|request| Measured { airs, nonce, request }).collect();
    bench::proof::measure(&Measured { airs, nonce, request }, &sizes, backend, measuring)
}

#[cfg(test)]
mod tests;
