//! Measurements of a device and of proofs on it.

mod subject;

use bench::Measuring;
use bench::ops::{OpsArguments, OpsReport};
use bench::proof::ProofReport;
use sdk::{Device, Error, Request};

use self::subject::{Facts, Measured};
use super::benched::Benched;
use crate::exit::{Code, Failure};

/// Measures single operations.
pub(super) fn operations<F: Benched>(
    device: &Device<F>,
    arguments: &OpsArguments,
    measuring: Measuring<'_>,
) -> Result<OpsReport, Failure> {
    bench::ops::measure(&**device.backend(), arguments, measuring).map_err(|error| match error {
        bench::Error::Backend(error) => Error::from(error).into(),
        error => Failure::new(Code::Device, error.to_string()),
    })
}

/// Measures proofs of a statement and of other sizes of it.
pub(super) fn proofs<F: Benched>(
    device: &Device<F>,
    request: &Request<F>,
    sizes: &[Request<F>],
    measuring: Measuring<'_>,
) -> Result<ProofReport<Facts<F>>, Error> {
    let airs = device.airs();
    let backend = device.backend_for(request)?;
    let sizes: Vec<_> = sizes.iter().map(|request| Measured { airs, request }).collect();
    bench::proof::measure(&Measured { airs, request }, &sizes, backend, measuring)
}

#[cfg(test)]
mod tests;
