//! What the facade asks of the Circle protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::RecordedStatement;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, ProofFile};
use field::M31;
use gpu_hal::{CircleStark, Moment, StarkBackend};
use prover_core::circle::{CircleProof, Plan, ProveError};

use super::measure::{Facts, nonce};
use super::{Device, Expect, Extras, Policy, Proven, ReadyProver, Report, Request, request, verify_file};
use crate::{Driver, Error, Flavour, Footprint, Place};

impl Flavour for CircleStark {
    type Options = CircleOptions;
    type Extras = Extras;
    type Air = dyn ShippedAir;
    type Trace = Vec<Vec<Vec<M31>>>;
    type Made = CircleProof;
    type Plan = Plan;
    type Report = Report;
    type Facts = Facts;
    type Ready<B: StarkBackend<P = Self>> = ReadyProver<B>;

    fn open(driver: &dyn Driver, place: &Place) -> Result<Device, Error> {
        driver.circle(place)
    }

    fn build(request: &Request) -> Result<Arc<Self::Air>, Error> {
        Ok(request::build(&request.air, request.log_rows()?, &request.parameters)?)
    }

    fn parameters(request: &Request) -> BTreeMap<String, u64> {
        request.public_parameters()
    }

    fn check(request: &Request) -> Result<(), Error> {
        let air = request.build()?;
        let options = request.resolved_options(&*air)?;
        let recorded = RecordedStatement::new(&*air, options.lifting).map_err(ProveError::from)?;
        options.validate(recorded.max_log_size()).map_err(ProveError::from)?;
        Ok(recorded.check_config(&*air, &options.into()).map_err(ProveError::from)?)
    }

    fn ready<B: StarkBackend<P = Self>>(
        backend: &Arc<B>,
        request: &Request,
        air: &Arc<Self::Air>,
    ) -> Result<ReadyProver<B>, Error> {
        ReadyProver::new(backend, request, air)
    }

    fn trace(air: &Self::Air) -> Self::Trace {
        air.trace()
    }

    fn file(request: &Request, air: &Self::Air, made: &CircleProof) -> Result<Vec<u8>, Error> {
        let file = ProofFile {
            air: air.name().to_owned(),
            parameters: request.public_parameters(),
            log_rows: request.log_rows()?,
            words: air.words(),
            claimed_sums: made.claimed_sums.clone(),
            proof: circle_proof::encode(&made.proof),
        };
        file.encode().map_err(Error::Encode)
    }

    fn accept(_: &Request, file: &[u8]) -> Result<Report, Error> {
        verify_file(file, &Policy::ANY, &Expect::default())
    }

    fn proof(report: &Report) -> &[u8] {
        &report.file.proof
    }

    fn footprint(plan: &Plan) -> Footprint {
        Footprint {
            peak_bytes: plan.peak_bytes,
            peak_at: plan.peak_at,
            kept_bytes: plan.kept_bytes,
            highest_bytes: plan.peak_bytes.max(plan.preparation_bytes),
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
