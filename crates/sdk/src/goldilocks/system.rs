//! Goldilocks as a proof system of the library.

use std::sync::Arc;

use air::{Air, AirError, AirFile, Cells, Trace, TraceError};
use field::Goldilocks;
use gpu_hal::Protocol as _;
use proof::{Given, ProofOptions, Statement};
use proof_format::Profile;
use proof_format::security::Rounds;
use prover_core::goldilocks::{Plan, ProveError, Prover};
use verifier::{Policy, Seed};

use super::airs;
use super::check::check_trace;
use super::expect::ExpectOptions;
use super::ready::ReadyProver;
use super::request::Extras;
use super::types::{Airs, Device, Family, Provable, Report, Request};
use super::verify::{options_error, recorded};
use crate::airs::StatementError;
use crate::device::Backend;
use crate::error::Error;
use crate::expect::Mismatch;
use crate::registry::{Driver, Place, Registry};
use crate::report::Stated;
use crate::system::{AirProver, Footprint, Goldilocks3, ProofSystem};

/// Log2 of the most rows that a verifier walks to compute public inputs from parameters that it insists on.
const MAX_LOG_RECOMPUTED: u32 = 26;

impl ProofSystem for Goldilocks3 {
    type Options = ProofOptions;
    type File = Statement;
    type Public = Goldilocks;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type Given = Given;
    type Extras = Extras;
    type Air = dyn Air<Self>;
    type Trace = Trace<Goldilocks>;
    type Plan = Plan;

    const PUBLIC: &'static str = "public input";

    fn default_options(rows: u64) -> ProofOptions {
        ProofOptions::for_rows(rows)
    }

    fn shipped_airs() -> Vec<Family> {
        airs::shipped()
    }

    fn air_name(air: &Self::Air) -> &str {
        air.name()
    }

    fn trace_rows(air: &Self::Air) -> u64 {
        1u64.checked_shl(air.log_trace_length()).unwrap_or(0)
    }

    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError> {
        Ok(Some(air.layout().main_columns))
    }

    fn trace(columns: Vec<Cells<Goldilocks>>) -> Result<Trace<Goldilocks>, AirError> {
        Trace::from_cells(columns)
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
        let statement = Statement::decode(bytes).map_err(Error::File)?;
        if statement.protocol != Self::NAME || statement.extension_degree != Self::DEGREE as u64 {
            return Err(Error::Protocol { protocol: statement.protocol, degree: statement.extension_degree });
        }
        Ok(statement)
    }

    fn stated(statement: &Statement) -> Stated<'_, Self> {
        Stated {
            air: &statement.air,
            rows: 1 << statement.log_rows,
            parameters: &statement.parameters,
            public_inputs: &statement.public_inputs,
            proof: &statement.proof,
        }
    }

    fn options(statement: &Statement) -> Result<ProofOptions, Error> {
        Ok(statement.options)
    }

    fn rounds(statement: &Statement, air: &Self::Air) -> Result<Rounds, Error> {
        let shape = verifier::shape_of(&recorded(statement, air)?);
        proof::security::rounds(&statement.options, &shape).map_err(options_error)
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
            Err(Mismatch::new("the number of rows to compute public inputs from", rows, format!("at most {most}"))
                .into())
        }
    }

    fn check_options(expected: &ExpectOptions, statement: &Statement, options: &ProofOptions) -> Result<(), Mismatch> {
        expected.check(statement, options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(statement: Statement, air: &Self::Air, policy: &Policy) -> Result<Report, Error> {
        let recorded = recorded(&statement, air)?;
        let is_default = |given: &[u8]| given == verifier::transcript_seed(&recorded, &statement.options);
        if statement.seed.as_deref().is_some_and(is_default) {
            return Err(Error::DefaultSeed);
        }
        let seed = statement.seed.as_deref().map_or(Seed::Default, Seed::Given);
        let verified = verifier::verify_bytes(&recorded, &statement.options, seed, &statement.proof, policy)?;
        Ok(Report { options: statement.options, file: statement, security: verified.security, preprocessed_cells: 0 })
    }

    fn check_trace(air: &Self::Air, trace: &Trace<Goldilocks>, limit: usize) -> Result<(), Error> {
        let recorded = air::record(air).map_err(TraceError::from)?;
        Ok(check_trace(&recorded, air, trace, limit)?)
    }

    fn prover(
        backend: &Arc<Backend<Self>>,
        request: &Request,
        statement: &Provable,
    ) -> Result<Box<dyn AirProver<Self>>, Error> {
        Ok(Box::new(ReadyProver::new(backend, request, statement)?))
    }

    fn least_plan(backend: &Arc<Backend<Self>>, request: &Request, statement: &Provable) -> Result<Plan, Error> {
        Ok(Prover::new(backend.clone(), statement.air.clone())?.plan(&request.options)?)
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

    fn open(driver: &dyn Driver, place: &Place) -> Result<Device, Error> {
        driver.goldilocks(place)
    }

    fn airs(registry: &Registry) -> &Airs {
        &registry.airs.goldilocks
    }

    fn airs_mut(registry: &mut Registry) -> &mut Airs {
        &mut registry.airs.goldilocks
    }
}

/// Asks a backend that computes nothing for all that proofs of a statement, that of the request, ask it for.
///
/// # Errors
/// If it can't be proven with these options, or the backend's errors.
pub fn visit(backend: &Arc<Backend<Goldilocks3>>, request: &Request, statement: &Provable) -> Result<(), Error> {
    Ok(Prover::new(backend.clone(), statement.air.clone())?.visit(&request.options)?)
}
