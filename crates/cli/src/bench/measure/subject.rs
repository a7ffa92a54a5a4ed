//! A request as a statement to be measured.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bench::{First, Measurable, Subject};
use gpu_hal::StarkBackend;
use sdk::{
    AirStatement, Airs, AnyBackend, Device, Error, Profile, Proven, Ready as _, Report, Request, Stage, TraceSource,
};
use serde::Serialize;

use crate::protocol::CommandLine;
use crate::report::facts::{ProofView, SecurityView};

/// The facts about a proof for a measurement.
#[derive(Serialize)]
#[serde(bound = "")]
pub(in crate::bench) struct Facts<F: CommandLine> {
    options: F::OptionsView,
    security: SecurityView,
    proof: ProofView,
}

impl<F: CommandLine> Facts<F> {
    fn new(report: &Report<F>) -> Self {
        Self {
            options: (&report.options).into(),
            security: SecurityView::new(&report.security),
            proof: ProofView::new(report.proof()),
        }
    }
}

/// A request about one of these AIRs.
pub(super) struct Measured<'a, F: CommandLine> {
    pub(super) airs: &'a Airs<F>,
    /// The nonce of a proof.
    pub(super) nonce: fn(&Airs<F>, &Proven<F>) -> Result<u64, Error>,
    pub(super) request: &'a Request<F>,
}

impl<F: CommandLine> Measured<'_, F> {
    /// The statement, with a proof of any security.
    fn statement(&self) -> Result<AirStatement<'_, F>, Error> {
        AirStatement::new(self.airs, &Request { profile: Profile::NONE, ..self.request.clone() })
    }
}

impl<F: CommandLine + Measurable> Subject for Measured<'_, F> {
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

    fn first(&self, backend: &Arc<AnyBackend<F>>) -> Result<First<Facts<F>>, Error> {
        // The last stage is the verification.
        let stage = Cell::new(Instant::now());
        let (statement, device) = (self.statement()?, Device::from(backend.clone()));
        let ready = device.ready(&statement)?;
        let proven = ready.prove(&|_| {
            stage.set(Instant::now());
            ControlFlow::Continue(())
        })?;
        let verify = stage.get().elapsed();
        Ok(First {
            facts: Facts::new(&proven.report),
            planned_peak_bytes: ready.footprint().highest_bytes,
            verify,
            steps: ready.steps()?,
            nonce: (self.nonce)(self.airs, &proven)?,
            file: proven.file,
        })
    }

    fn verify(&self, file: &[u8]) -> Result<(), Error> {
        self.airs.accept(self.request, file).map(drop)
    }

    fn with_ready<T>(
        &self,
        backend: &Arc<AnyBackend<F>>,
        then: impl FnOnce(&bench::Ready<'_, Error>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (statement, device) = (self.statement()?, Device::from(backend.clone()));
        let start = Instant::now();
        let ready = device.ready(&statement)?;
        backend.sync()?;
        let preparation = start.elapsed();
        let main = ready.main_trace(&|_| ControlFlow::Continue(()))?;
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
            ready.prove_trace(&main, &follow).map(drop)
        };
        then(&bench::Ready { preparation, prove: &prove })
    }
}
