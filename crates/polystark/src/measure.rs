//! A request as a statement to be measured.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bench::{First, Subject};
use gpu_hal::StarkBackend;

use crate::error::Error;
use crate::flavour::{Flavour, Ready};
use crate::prove::{prove_ready, uploaded};
use crate::request::{Request, TraceSource};
use crate::stage::{Stage, silent};
use crate::views::Facts;

impl<F: Flavour> Subject for Request<F> {
    type P = F;
    type Facts = Facts<F>;
    type Error = Error;

    fn air(&self) -> &str {
        &self.air
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn parameters(&self) -> BTreeMap<String, u64> {
        F::parameters(self)
    }

    fn is_generated(&self) -> bool {
        self.trace == TraceSource::Device
    }

    fn missing_memory(error: &Error) -> Option<(u64, u64)> {
        error.missing_memory()
    }

    fn first<B: StarkBackend<P = F>>(&self, backend: &Arc<B>) -> Result<First<F, Facts<F>>, Error> {
        // The last stage is the verification.
        let stage = Cell::new(Instant::now());
        let air = self.build()?;
        let ready = F::ready(backend, self, &air)?;
        let proven = prove_ready(backend, &ready, &air, self, &|_| {
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
        F::accept(self, file).map(drop)
    }

    fn with_ready<B: StarkBackend<P = F>, T>(
        &self,
        backend: &Arc<B>,
        then: impl FnOnce(&bench::Ready<'_, Error>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let air = self.build()?;
        let start = Instant::now();
        let ready = F::ready(backend, self, &air)?;
        backend.sync()?;
        let preparation = start.elapsed();
        let trace = uploaded(&**backend, &ready, &air, self.is_generated(), &silent)?;
        let prove = |begin: &dyn Fn(_)| {
            let follow = |stage| {
                if let Stage::Prove(phase) = stage {
                    begin(phase);
                }
                ControlFlow::Continue(())
            };
            ready.prove(trace.as_ref(), &follow).map(drop)
        };
        then(&bench::Ready { preparation, prove: &prove })
    }
}
