//! A request as a statement to be measured.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bench::{First, Subject};
use gpu_hal::StarkBackend;

use crate::airs::Airs;
use crate::device::Backend;
use crate::error::Error;
use crate::flavour::{Flavour, Ready};
use crate::prove::Asked;
use crate::request::{Request, TraceSource};
use crate::stage::{Stage, silent};
use crate::views::Facts;

/// A request about one of these AIRs.
pub(super) struct Measured<'a, F: Flavour> {
    pub(super) airs: &'a Airs<F>,
    pub(super) request: &'a Request<F>,
}

impl<F: Flavour> Subject for Measured<'_, F> {
    type P = F;
    type Facts = Facts<F>;
    type Error = Error;

    fn air(&self) -> &str {
        &self.request.air
    }

    fn rows(&self) -> u64 {
        self.request.rows
    }

    fn parameters(&self) -> BTreeMap<String, u64> {
        // A request that is measured was proven.
        self.airs.public_parameters(self.request).unwrap_or_default()
    }

    fn is_generated(&self) -> bool {
        self.request.trace == TraceSource::Device
    }

    fn missing_memory(error: &Error) -> Option<(u64, u64)> {
        error.missing_memory()
    }

    fn first(&self, backend: &Arc<Backend<F>>) -> Result<First<F, Facts<F>>, Error> {
        // The last stage is the verification.
        let stage = Cell::new(Instant::now());
        let asked = Asked::new(self.airs, self.request)?;
        let ready = F::ready(backend, self.request, &asked.statement)?;
        let proven = asked.prove(backend, &ready, &|_| {
            stage.set(Instant::now());
            ControlFlow::Continue(())
        })?;
        let verify = stage.get().elapsed();
        Ok(First {
            facts: Facts::new(&proven.report),
            planned_peak_bytes: F::footprint(&proven.plan).highest_bytes,
            verify,
            steps: ready.steps(proven.generated)?,
            nonce: F::nonce(&proven)?,
            file: proven.file,
        })
    }

    fn verify(&self, file: &[u8]) -> Result<(), Error> {
        F::accept(self.airs, self.request, file).map(drop)
    }

    fn with_ready<T>(
        &self,
        backend: &Arc<Backend<F>>,
        then: impl FnOnce(&bench::Ready<'_, Error>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let asked = Asked::new(self.airs, self.request)?;
        let start = Instant::now();
        let ready = F::ready(backend, self.request, &asked.statement)?;
        backend.sync()?;
        let preparation = start.elapsed();
        let main = asked.main(backend, &ready, self.is_generated(), &silent)?;
        let prove = |begin: &dyn Fn(_)| {
            let last = Cell::new(None);
            // A phase that lasts is told again.
            let follow = |stage| {
                if let Stage::Prove(phase) = stage
                    && last.replace(Some(phase)) != Some(phase)
                {
                    begin(phase);
                }
                ControlFlow::Continue(())
            };
            ready.prove(main.uploaded(), &follow).map(drop)
        };
        then(&bench::Ready { preparation, prove: &prove })
    }
}
