//! What the facade asks of the Goldilocks protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::{Air, AirFile, Trace, TraceError};
use field::Goldilocks;
use gpu_hal::{Fields, Moment};
use proof::{Given, Proof, ProofOptions, Statement};
use proof_format::Profile;
use proof_format::policy::PolicyError;
use proof_format::security::Rounds;
use prover_core::MemoryError;
use prover_core::goldilocks::{Plan, ProveError, Prover};
use verifier::Policy;

use super::check::check_trace;
use super::expect::ExpectOptions;
use super::measure::{OptionsView, nonce};
use super::ready::ReadyProver;
use super::request::Extras;
use super::types::{Airs, Family, Provable, Proven, Report, Request};
use super::{airs, verify};
use crate::airs::StatementError;
use crate::device::Backend;
use crate::error::Error;
use crate::expect::{Mismatch, mismatch};
use crate::flavour::{Flavour, Footprint};
use crate::report::Stated;
use crate::types::FlavourTypes;
use crate::types::Goldilocks3;

/// Log2 of the most rows that a verifier walks to compute public inputs from parameters that it insists on.
const MAX_LOG_RECOMPUTED: u32 = 26;

impl FlavourTypes for Goldilocks3 {
    type Options = ProofOptions;
    type File = Statement;
    type Public = Goldilocks;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type Given = Given;
    type Extras = Extras;
    type Air = dyn Air<Self>;
    type Trace = Trace<Goldilocks>;
    type Made = Proof<Self>;
    type Plan = Plan;
    type OptionsView = OptionsView;

    fn default_options(rows: u64) -> ProofOptions {
        ProofOptions::for_rows(rows)
    }
}

impl Flavour for Goldilocks3 {
    type Ready = ReadyProver;

    const PUBLIC: &'static str = "public input";

    fn shipped_airs() -> Vec<Family> {
        airs::shipped()
    }

    fn air_name(air: &Self::Air) -> &str {
        air.name()
    }

    fn trace_rows(air: &Self::Air) -> u64 {
        1u64.checked_shl(air.log_trace_length()).unwrap_or(0)
    }

    #[cfg(feature = "cli")]
    fn trace_columns(air: &Self::Air) -> Result<Option<usize>, StatementError> {
        Ok(Some(air.layout().main_columns))
    }

    fn public(air: &Self::Air) -> Vec<Goldilocks> {
        air.public_inputs()
    }

    fn air_of_file(bytes: &[u8]) -> Result<Arc<Self::Air>, StatementError> {
        let air = AirFile::<Self>::decode(bytes).map_err(StatementError::AirFile)?;
        air::record(&air)?;
        Ok(Arc::new(air))
    }

    fn air_to_file(air: &Self::Air) -> Result<Vec<u8>, StatementError> {
        AirFile::of(air)?.encode().map_err(StatementError::AirFile)
    }

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

    fn rounds(statement: &Statement, air: &Self::Air) -> Result<Rounds, Error> {
        verify::rounds(statement, air)
    }

    fn rounds_of(request: &Request, air: &Self::Air) -> Result<Rounds, Error> {
        let recorded = air::record(air).map_err(ProveError::from)?;
        let rounds = proof::security::rounds(&request.options, &verifier::shape_of(&recorded));
        Ok(rounds.map_err(ProveError::from)?)
    }

    fn cheapest(request: &Request, air: &Self::Air, given: &Given, profile: Profile) -> Result<ProofOptions, Error> {
        let recorded = air::record(air).map_err(ProveError::from)?;
        let (shape, base) = (verifier::shape_of(&recorded), &request.options);
        let counts = verifier::counts(&recorded.layout(), recorded.log_trace_length(), base);
        Ok(proof::cheapest::<Self>(profile, given, base, &shape, &counts)?)
    }

    fn check_recomputed(_: &Policy, rows: u64) -> Result<(), Error> {
        let most = 1 << MAX_LOG_RECOMPUTED;
        if rows <= most {
            Ok(())
        } else {
            Err(mismatch("the number of rows to compute public inputs from", rows, format!("at most {most}")).into())
        }
    }

    fn check_options(expected: &ExpectOptions, statement: &Statement, options: &ProofOptions) -> Result<(), Mismatch> {
        expected.check(statement, options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(statement: Statement, air: &Self::Air, policy: &Policy) -> Result<Report, Error> {
        verify::verify(statement, air, policy)
    }

    fn proof_length(request: &Request, air: &Self::Air) -> Option<u64> {
        let counts = verifier::counts(&air.layout(), request.rows.ilog2(), &request.options);
        Some(u64::try_from(counts.length::<Self>()).unwrap_or(u64::MAX))
    }

    fn refusals(report: &Report, length: usize) -> Vec<PolicyError> {
        verify::refusals(report, length)
    }

    fn check_trace(air: &Self::Air, trace: &Trace<Goldilocks>, limit: usize) -> Result<(), Error> {
        let recorded = air::record(air).map_err(TraceError::from)?;
        Ok(check_trace(&recorded, air, trace, limit)?)
    }

    fn check(request: &Request, air: &Self::Air) -> Result<(), Error> {
        let parts = air.layout().composition_parts;
        Ok(request.options.validate(request.rows.ilog2(), parts).map_err(ProveError::from)?)
    }

    fn ready(backend: &Arc<Backend<Self>>, request: &Request, statement: &Provable) -> Result<ReadyProver, Error> {
        ReadyProver::new(backend, request, statement)
    }

    fn least_plan(backend: &Arc<Backend<Self>>, request: &Request, statement: &Provable) -> Result<Plan, Error> {
        Ok(Prover::new(backend.clone(), statement.air.clone())?.plan(&request.options)?)
    }

    fn visit(backend: &Arc<Backend<Self>>, request: &Request, air: &Arc<Self::Air>) -> Result<(), Error> {
        Ok(Prover::new(backend.clone(), air.clone())?.visit(&request.options)?)
    }

    fn file(
        request: &Request,
        parameters: BTreeMap<String, u64>,
        air: &Self::Air,
        made: &Proof<Self>,
    ) -> Result<Vec<u8>, Error> {
        let statement = Statement {
            protocol: Self::NAME.to_owned(),
            extension_degree: Self::DEGREE as u64,
            air: request.air.clone(),
            parameters,
            log_rows: request.rows.ilog2(),
            options: request.options,
            seed: request.extras.seed.clone(),
            public_inputs: air.public_inputs(),
            proof: proof::encode(made),
        };
        statement.encode().map_err(Error::Encode)
    }

    fn accept(airs: &Airs, request: &Request, file: &[u8]) -> Result<Report, Error> {
        airs.verify_file(file, &Policy::ANY, &request.expect_seed())
    }

    fn footprint(plan: &Plan) -> Footprint {
        Footprint {
            peak_bytes: plan.peak_bytes,
            peak_at: plan.peak_at,
            kept_bytes: 0,
            highest_bytes: plan.peak_bytes,
            upload_bytes: plan.upload_bytes,
            constraint_operations: plan.constraint_operations,
            spill: plan.spill,
        }
    }

    fn out_of_memory(needed: u64, at: Moment, available: u64) -> Error {
        ProveError::from(MemoryError::Missing { needed, at, available }).into()
    }

    fn nonce(proven: &Proven) -> Result<u64, Error> {
        nonce(proven)
    }
}
