//! A statement of the Circle protocol, to be measured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use polystark::circle::{Expect, Request, prove, verify_file};
use polystark::circle_air::RecordedStatement;
use polystark::circle_proof::{self, Policy};
use polystark::hal::{CircleStark, StarkBackend};
use polystark::prover::circle::{ProveError, Prover};
use polystark::{Error, TraceSource, missing_memory};
use serde::Serialize;

use super::statement::Statement;
use crate::cli::bench::subject::{First, Follow, Ready, Subject, with_verify_time};
use crate::cli::circle::OptionsView;
use crate::cli::views::SecurityView;

#[derive(Serialize)]
pub(crate) struct Facts {
    options: OptionsView,
    security: SecurityView,
}

impl Subject for Request {
    type P = CircleStark;
    type Facts = Facts;

    fn air(&self) -> &str {
        &self.air
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn parameters(&self) -> BTreeMap<String, u64> {
        self.public_parameters()
    }

    fn trace(&self) -> TraceSource {
        self.trace
    }

    fn check(&self) -> Result<(), Error> {
        let air = self.build()?;
        let options = self.resolved_options(&*air)?;
        let recorded = RecordedStatement::new(&*air, options.lifting).map_err(ProveError::from)?;
        options.validate(recorded.max_log_size()).map_err(ProveError::from)?;
        Ok(recorded.check_config(&*air, &options.into()).map_err(ProveError::from)?)
    }

    fn first<B: StarkBackend<P = CircleStark>>(&self, backend: &Arc<B>) -> Result<First<'_, Facts>, Error> {
        let (proven, verify) = with_verify_time(|follow| prove(backend, self, follow))?;
        let proof = proven.proof().to_vec();
        let nonce = circle_proof::decode(&proof).map_err(|error| Error::CircleVerify(error.into()))?.proof_of_work;
        let air = self.build()?;
        let options = proven.report.verified.options;
        let recorded = RecordedStatement::new(&*air, options.lifting).map_err(ProveError::from)?;
        let (plan, generated) = (proven.plan, proven.generated);
        Ok(First {
            proof,
            facts: Facts {
                options: OptionsView::new(&options),
                security: SecurityView::new(&proven.report.verified.security),
            },
            planned_peak_bytes: plan.peak_bytes.max(plan.preparation_bytes),
            verify,
            file: proven.file,
            calls: Box::new(move |levels| {
                let trace = air.trace_program().filter(|_| generated);
                Statement { recorded: &recorded, options: &options, trace: trace.as_deref(), levels }
                    .calls(plan.log_domain, nonce)
            }),
        })
    }

    fn verify(&self, file: &[u8]) -> Result<(), Error> {
        verify_file(file, &Policy::ANY, &Expect::default()).map(drop)
    }

    fn with_ready<B: StarkBackend<P = CircleStark>, T>(
        &self,
        backend: &Arc<B>,
        then: impl FnOnce(&Ready<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let air = self.build()?;
        let start = Instant::now();
        let prover = Prover::new(backend.clone(), air.clone(), &self.resolved_options(&*air)?)?;
        backend.sync()?;
        let (preparation, plan) = (start.elapsed(), prover.plan());
        let is_uploaded = self.trace != TraceSource::Device;
        // Before the trace is built: its own memory would be the first to be missing. What is kept is there already.
        let upload = if is_uploaded { plan.upload_bytes } else { 0 };
        if let Some((needed, available)) = missing_memory(&**backend, plan.peak_bytes, plan.kept_bytes, upload)? {
            return Err(ProveError::Memory { needed, at: plan.peak_at, available }.into());
        }
        let trace = is_uploaded.then(|| air.trace());
        let prove = |follow: &dyn Fn(_)| {
            match &trace {
                Some(trace) => prover.prove(trace, &Follow(follow))?,
                None => prover.prove_generated(&Follow(follow))?,
            };
            Ok(())
        };
        then(&Ready { preparation, prove: &prove })
    }
}
