//! What the facade asks of the Goldilocks protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::Trace;
use air::airs::{self, ExampleAir};
use field::Goldilocks;
use gpu_hal::{Moment, Protocol, StarkBackend};
use proof::{Proof, ProofOptions, Statement};
use prover_core::goldilocks::{Plan, ProveError};

use super::measure::{Facts, nonce};
use super::{Device, Extras, Policy, Proven, ReadyProver, Report, Request, request, verify_file};
use crate::{Driver, Error, Flavour, Footprint, Goldilocks3, Place};

impl Flavour for Goldilocks3 {
    type Options = ProofOptions;
    type Extras = Extras;
    type Air = dyn ExampleAir<Self>;
    type Trace = Trace<Goldilocks>;
    type Made = Proof<Self>;
    type Plan = Plan;
    type Report = Report;
    type Facts = Facts;
    type Ready<B: StarkBackend<P = Self>> = ReadyProver<B>;

    fn open(driver: &dyn Driver, place: &Place) -> Result<Device, Error> {
        driver.goldilocks(place)
    }

    fn build(request: &Request) -> Result<Arc<Self::Air>, Error> {
        Ok(airs::build(&request.air, request.rows, &request.parameters)?)
    }

    fn parameters(request: &Request) -> BTreeMap<String, u64> {
        request::parameters(request)
    }

    fn check(request: &Request) -> Result<(), Error> {
        let parts = request.build()?.layout().composition_parts;
        Ok(request.options.validate(request.rows.ilog2(), parts).map_err(ProveError::from)?)
    }

    fn ready<B: StarkBackend<P = Self>>(
        backend: &Arc<B>,
        request: &Request,
        air: &Arc<Self::Air>,
    ) -> Result<ReadyProver<B>, Error> {
        ReadyProver::new(backend, request, air)
    }

    fn trace(air: &Self::Air) -> Trace<Goldilocks> {
        air.trace()
    }

    fn file(request: &Request, air: &Self::Air, made: &Proof<Self>) -> Result<Vec<u8>, Error> {
        let statement = Statement {
            protocol: Self::NAME.to_owned(),
            extension_degree: Self::DEGREE as u64,
            air: air.name().to_owned(),
            parameters: request::parameters(request),
            log_rows: request.rows.ilog2(),
            options: request.options,
            seed: request.extras.seed.clone(),
            public_inputs: air.public_inputs(),
            proof: proof::encode(made),
        };
        statement.encode().map_err(Error::Encode)
    }

    fn accept(request: &Request, file: &[u8]) -> Result<Report, Error> {
        verify_file(file, &Policy::ANY, &request.expect_seed())
    }

    fn proof(report: &Report) -> &[u8] {
        &report.statement.proof
    }

    fn footprint(plan: &Plan) -> Footprint {
        Footprint {
            peak_bytes: plan.peak_bytes,
            peak_at: plan.peak_at,
            kept_bytes: 0,
            highest_bytes: plan.peak_bytes,
            upload_bytes: plan.upload_bytes,
        }
    }

    fn out_of_memory(needed: u64, at: Moment, available: u64) -> Error {
        ProveError::Memory { needed, at, available }.into()
    }

    fn facts(report: &Report) -> Facts {
        Facts::new(report)
    }

    fn nonce(proven: &Proven) -> Result<u64, Error> {
        nonce(proven)
    }
}
