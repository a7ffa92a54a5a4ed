//! What the facade asks of the Circle protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use circle_air::RecordedStatement;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Policy, PolicyError, ProofFile, Security};
use field::M31;
use gpu_hal::{CircleStark, Moment, StarkBackend};
use prover_core::MemoryError;
use prover_core::circle::{CircleProof, Plan, ProveError, Prover};

use super::expect::{ExpectOptions, is_preimage};
use super::measure::{OptionsView, nonce};
use super::ready::ReadyProver;
use super::request::Extras;
use super::types::{Expect, Proven, Report, Request};
use super::{request, verify};
use crate::error::Error;
use crate::expect::Mismatch;
use crate::flavour::{Flavour, Footprint};
use crate::report::Stated;
use crate::types::FlavourTypes;
use crate::verify::verify_file;

impl FlavourTypes for CircleStark {
    type Options = CircleOptions;
    type File = ProofFile;
    type Public = u32;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type Extras = Extras;
    type Air = dyn ShippedAir;
    type Trace = Vec<Vec<Vec<M31>>>;
    type Made = CircleProof;
    type Plan = Plan;
    type OptionsView = OptionsView;
}

impl Flavour for CircleStark {
    type Ready<B: StarkBackend<P = Self>> = ReadyProver<B>;

    const PUBLIC: &'static str = "statement word";

    fn decode(bytes: &[u8]) -> Result<ProofFile, Error> {
        ProofFile::decode(bytes).map_err(Error::File)
    }

    fn stated(file: &ProofFile) -> Stated<'_, Self> {
        let rows = 1 << file.log_rows;
        Stated { air: &file.air, rows, parameters: &file.parameters, public_inputs: &file.words }
    }

    fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
        verify::options(file)
    }

    fn proof(file: &ProofFile) -> &[u8] {
        &file.proof
    }

    fn security(file: &ProofFile) -> Result<Security, Error> {
        verify::security(file)
    }

    fn is_preimage(air: &str, parameter: &str) -> bool {
        is_preimage(air, parameter)
    }

    fn check_options(expected: &ExpectOptions, _: &ProofFile, options: &CircleOptions) -> Result<(), Mismatch> {
        expected.check(options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(file: ProofFile, policy: &Policy, expect: &Expect) -> Result<Report, Error> {
        verify::verify(file, policy, expect)
    }

    fn refusals(report: &Report, length: usize) -> Vec<PolicyError> {
        verify::refusals(report, length)
    }

    fn build(request: &Request) -> Result<Arc<Self::Air>, Error> {
        Ok(request::build(&request.air, request.log_rows()?, &request.parameters)?)
    }

    fn parameters(request: &Request) -> BTreeMap<String, u64> {
        request.public_parameters()
    }

    fn check(request: &Request) -> Result<(), Error> {
        let air = Self::build(request)?;
        let options = request.resolved_options(&*air);
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

    fn visit<B: StarkBackend<P = Self>>(
        backend: &Arc<B>,
        request: &Request,
        air: &Arc<Self::Air>,
    ) -> Result<(), Error> {
        Ok(Prover::visit(backend, air.clone(), &request.resolved_options(&**air))?)
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
        ProveError::from(MemoryError::Missing { needed, at, available }).into()
    }

    #[cfg(feature = "cairo")]
    fn programs<B: StarkBackend<P = Self>>(backend: &Arc<B>) -> Result<&dyn crate::programs::Programs, Error> {
        Ok(backend)
    }

    fn nonce(proven: &Proven) -> Result<u64, Error> {
        nonce(proven)
    }
}
