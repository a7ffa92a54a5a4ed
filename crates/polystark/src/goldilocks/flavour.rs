//! What the facade asks of the Goldilocks protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::Trace;
use air::airs::{self, ExampleAir};
use field::Goldilocks;
use gpu_hal::{Moment, Protocol, StarkBackend};
use proof::{Proof, ProofOptions, Statement};
use proof_format::Security;
use proof_format::policy::PolicyError;
use prover_core::MemoryError;
use prover_core::goldilocks::{Plan, ProveError, Prover};
use verifier::Policy;

use super::expect::ExpectOptions;
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
use crate::types::Goldilocks3;
use crate::verify::verify_file;

impl FlavourTypes for Goldilocks3 {
    type Options = ProofOptions;
    type File = Statement;
    type Public = Goldilocks;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type Extras = Extras;
    type Air = dyn ExampleAir<Self>;
    type Trace = Trace<Goldilocks>;
    type Made = Proof<Self>;
    type Plan = Plan;
    type OptionsView = OptionsView;
}

impl Flavour for Goldilocks3 {
    type Ready<B: StarkBackend<P = Self>> = ReadyProver<B>;

    const PUBLIC: &'static str = "public input";

    fn decode(bytes: &[u8]) -> Result<Statement, Error> {
        verify::decode(bytes)
    }

    fn stated(statement: &Statement) -> Stated<'_, Self> {
        Stated {
            air: &statement.air,
            rows: 1 << statement.log_rows,
            parameters: &statement.parameters,
            public_inputs: &statement.public_inputs,
        }
    }

    fn options(statement: &Statement) -> Result<ProofOptions, Error> {
        Ok(statement.options)
    }

    fn proof(statement: &Statement) -> &[u8] {
        &statement.proof
    }

    fn security(statement: &Statement) -> Result<Security, Error> {
        verify::security(statement)
    }

    fn check_options(expected: &ExpectOptions, statement: &Statement, options: &ProofOptions) -> Result<(), Mismatch> {
        expected.check(statement, options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(statement: Statement, policy: &Policy, _: &Expect) -> Result<Report, Error> {
        verify::verify(statement, policy)
    }

    fn refusals(report: &Report, length: usize) -> Vec<PolicyError> {
        verify::refusals(report, length)
    }

    fn build(request: &Request) -> Result<Arc<Self::Air>, Error> {
        Ok(airs::build(&request.air, request.rows, &request.parameters)?)
    }

    fn parameters(request: &Request) -> BTreeMap<String, u64> {
        request::parameters(request)
    }

    fn check(request: &Request) -> Result<(), Error> {
        let parts = Self::build(request)?.layout().composition_parts;
        Ok(request.options.validate(request.rows.ilog2(), parts).map_err(ProveError::from)?)
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
        Ok(Prover::new(backend.clone(), air.clone())?.visit(&request.options)?)
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
        ProveError::from(MemoryError::Missing { needed, at, available }).into()
    }

    fn nonce(proven: &Proven) -> Result<u64, Error> {
        nonce(proven)
    }
}
