//! A statement of the Goldilocks protocol, to be measured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use polystark::air;
use polystark::hal::StarkBackend;
use polystark::proof::Seed;
use polystark::prover::{ProveError, Prover};
use polystark::{Error, Goldilocks3, Policy, Request, TraceSource, missing_memory, prove_air_with, verify_file};
use serde::Serialize;

use super::statement;
use crate::cli::bench::subject::{First, Follow, Ready, Subject, with_verify_time};
use crate::cli::views::{OptionsView, SecurityView};

#[derive(Serialize)]
pub(crate) struct Facts {
    options: OptionsView,
    security: SecurityView,
}

impl Subject for Request {
    type P = Goldilocks3;
    type Facts = Facts;

    fn air(&self) -> &str {
        &self.air
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn parameters(&self) -> BTreeMap<String, u64> {
        self.resolved_parameters()
    }

    fn trace(&self) -> TraceSource {
        self.trace
    }

    fn check(&self) -> Result<(), Error> {
        let parts = self.build()?.layout().composition_parts;
        Ok(self.options.validate(self.rows.ilog2(), parts).map_err(ProveError::from)?)
    }

    fn first<B: StarkBackend<P = Goldilocks3>>(&self, backend: &Arc<B>) -> Result<First<'_, Facts>, Error> {
        let (proven, verify) = with_verify_time(|follow| prove_air_with(backend, self, follow))?;
        let air = self.build()?;
        let recorded = air::record(&*air)?;
        let proof = proven.proof().to_vec();
        let nonce = polystark::proof::decode::<Goldilocks3>(&proof).map_err(Error::Proof)?.nonce;
        let orders = air
            .trace_program()
            .filter(|_| proven.generated)
            .map(|program| program.columns.iter().map(|column| column.coefficients.len() as u64).collect::<Vec<u64>>());
        Ok(First {
            proof,
            facts: Facts {
                options: OptionsView::new(&self.options),
                security: SecurityView::new(&proven.report.security),
            },
            planned_peak_bytes: proven.plan.peak_bytes,
            verify,
            file: proven.file,
            calls: Box::new(move |levels| {
                statement::calls(&recorded, &proven.plan, &self.options, orders.as_deref(), nonce, levels)
            }),
        })
    }

    fn verify(&self, file: &[u8]) -> Result<(), Error> {
        verify_file(file, &Policy::ANY, &self.expect_seed()).map(drop)
    }

    fn with_ready<B: StarkBackend<P = Goldilocks3>, T>(
        &self,
        backend: &Arc<B>,
        then: impl FnOnce(&Ready<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let air = self.build()?;
        let start = Instant::now();
        let prover = Prover::new(backend.clone(), air.clone())?;
        let plan = prover.plan(&self.options)?;
        backend.sync()?;
        let preparation = start.elapsed();
        let is_uploaded = self.trace != TraceSource::Device;
        // Before the trace is built: its own memory would be the first to be missing.
        let upload = if is_uploaded { plan.upload_bytes } else { 0 };
        if let Some((needed, available)) = missing_memory(&**backend, plan.peak_bytes, 0, upload)? {
            return Err(ProveError::Memory { needed, at: plan.peak_at, available }.into());
        }
        let trace = is_uploaded.then(|| air.trace());
        let seed = self.seed.as_deref().map_or(Seed::Default, Seed::Given);
        let prove = |follow: &dyn Fn(_)| {
            match &trace {
                Some(trace) => prover.prove(trace, &self.options, seed, &Follow(follow))?,
                None => prover.prove_generated(&self.options, seed, &Follow(follow))?,
            };
            Ok(())
        };
        then(&Ready { preparation, prove: &prove })
    }
}
