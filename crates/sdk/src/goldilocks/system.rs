//! Goldilocks as a proof system of the library.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::{Air, AirFile, Trace, TraceError};
use field::Goldilocks;
use goldilocks_proof::{AnyOptions, AnyProofFile, FixedOptions, Format, OptionsError, compact};
use goldilocks_verifier::{Policy, Seed};
use gpu_hal::rehearsal::Step;
use gpu_hal::{GoldilocksStark, Protocol as _};
use proof_format::security::Rounds;
use proof_format::{Profile, Security};
use prover_core::goldilocks::{MaskSeed, Plan, ProofFormat, ProveError, Prover};

use super::check::check_trace;
use super::error::GoldilocksError;
use super::expect::{ExpectOptions, ExpectSeed};
use super::request::Extras;
use super::types::Request;
use super::verify::{options_error, recorded};
use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::driver::{DeviceOptions, Driver};
use crate::error::Error;
use crate::stage::{Follow, Following};
use crate::statements::statement_error::StatementError;
use crate::system::{AirFacts, FileContents, MemoryPlan, Prepared, ProofSystem};
use crate::verification::mismatch::Mismatch;

/// Log2 of the most rows that a verifier walks to compute public inputs from parameters that it insists on.
const MAX_LOG_RECOMPUTED: u32 = 26;

/// An expression of the options of a format, whichever it is.
macro_rules! by_format {
    ($options:expr, $of:ident => $result:expr) => {
        match $options {
            AnyOptions::Lambdaworks($of) => $result,
            AnyOptions::Compact($of) => $result,
        }
    };
}

impl ProofSystem for GoldilocksStark {
    type Options = AnyOptions;
    type File = AnyProofFile;
    type Public = Goldilocks;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type FixedOptions = FixedOptions;
    type Extras = Extras;
    type Air = dyn Air<Self>;
    type Trace = Trace<Goldilocks>;
    type Plan = Plan;
    type Prover = Prover<AnyBackend<Self>>;

    fn default_options(rows: u64) -> AnyOptions {
        AnyOptions::for_rows(Format::default(), rows)
    }

    fn facts(air: &Self::Air) -> AirFacts<'_, Goldilocks> {
        AirFacts {
            name: air.name(),
            rows: 1u64.checked_shl(air.log_trace_length()).unwrap_or(0),
            public: air.public_inputs(),
            vouches: false,
        }
    }

    fn columns(air: &Self::Air) -> Result<Option<usize>, StatementError> {
        Ok(Some(air.layout().main_columns))
    }

    fn air_of_file(bytes: &[u8]) -> Result<Arc<Self::Air>, StatementError> {
        let air = AirFile::<Self>::decode(bytes).map_err(StatementError::AirFile)?;
        air::record(&air)?;
        Ok(Arc::new(air))
    }

    fn air_to_file(air: &Self::Air) -> Result<Vec<u8>, StatementError> {
        AirFile::of(air)?.encode().map_err(StatementError::AirFile)
    }

    fn decode(bytes: &[u8]) -> Result<AnyProofFile, Error> {
        let statement = AnyProofFile::decode(bytes).map_err(Error::File)?;
        if statement.protocol != Self::NAME || statement.extension_degree != Self::DEGREE as u64 {
            let (protocol, degree) = (statement.protocol, statement.extension_degree);
            return Err(GoldilocksError::Extension { protocol, degree }.into());
        }
        Ok(statement)
    }

    fn stated(statement: &AnyProofFile) -> FileContents<'_, Goldilocks> {
        FileContents {
            air: &statement.air,
            rows: 1 << statement.log_rows,
            parameters: &statement.parameters,
            public_inputs: &statement.public_inputs,
            proof: &statement.proof,
        }
    }

    fn options(statement: &AnyProofFile) -> Result<AnyOptions, Error> {
        Ok(statement.options.clone())
    }

    fn rounds(statement: &AnyProofFile, air: &Self::Air) -> Result<Rounds, Error> {
        goldilocks_verifier::rounds(&recorded(statement, air)?, &statement.options).map_err(options_error)
    }

    fn rounds_of(request: &Request, air: &Self::Air) -> Result<Rounds, Error> {
        let recorded = air::record(air).map_err(ProveError::from)?;
        Ok(goldilocks_verifier::rounds(&recorded, &request.options).map_err(ProveError::from)?)
    }

    fn cheapest(
        request: &Request,
        air: &Self::Air,
        given: &FixedOptions,
        profile: Profile,
    ) -> Result<AnyOptions, Error> {
        let recorded = air::record(air).map_err(ProveError::from)?;
        let (layout, log_rows) = (recorded.layout(), recorded.log_trace_length());
        let shape = goldilocks_verifier::shape_of(&recorded);
        Ok(match &request.options {
            AnyOptions::Lambdaworks(base) => {
                let counts = goldilocks_verifier::counts(&layout, log_rows, base);
                goldilocks_proof::cheapest::<Self>(profile, given, base, &shape, &counts)?.into()
            }
            AnyOptions::Compact(base) => {
                let sizes = goldilocks_verifier::compact::sizes(&layout, log_rows);
                let free_rows = given.free_rows.or(Some(recorded.free_rows() as u64));
                let given = FixedOptions { free_rows, ..given.clone() };
                compact::cheapest(profile, &given, base, &sizes, &shape)?.into()
            }
        })
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

    fn check_options(expected: &ExpectOptions, statement: &AnyProofFile, options: &AnyOptions) -> Result<(), Mismatch> {
        expected.check(statement, options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(
        statement: &AnyProofFile,
        air: &Self::Air,
        policy: &Policy,
        expected: &ExpectOptions,
    ) -> Result<(Security, u64), Error> {
        let recorded = recorded(statement, air)?;
        expected.check_key(&recorded, &statement.options)?;
        if let (AnyOptions::Lambdaworks(options), Some(given)) = (&statement.options, statement.seed.as_deref())
            && given == goldilocks_verifier::transcript_seed(&recorded, options)
        {
            return Err(Error::DefaultSeed);
        }
        let seed = statement.seed.as_deref().map_or(Seed::Default, Seed::Given);
        let AnyProofFile { options, proof, .. } = statement;
        let verified = goldilocks_verifier::verify_any(&recorded, options, seed, proof, policy)?;
        Ok((verified.security, 0))
    }

    fn open(driver: &dyn Driver, options: &DeviceOptions) -> Result<OpenBackend<Self>, Error> {
        driver.goldilocks(options)
    }

    fn demands(request: &Request) -> (Policy, ExpectOptions) {
        // A seed that is not the default one must be expected.
        let seed = request.extras.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        (Policy { kind: request.profile.kind, ..Policy::ANY }, ExpectOptions { seed, ..ExpectOptions::default() })
    }

    fn check_trace(air: &Self::Air, trace: &Trace<Goldilocks>, limit: usize) -> Result<(), Error> {
        let recorded = air::record(air).map_err(TraceError::from)?;
        Ok(check_trace(&recorded, air, trace, limit)?)
    }

    fn prepare(
        backend: &Arc<AnyBackend<Self>>,
        request: &Request,
        air: &Arc<Self::Air>,
    ) -> Result<Prepared<Self>, Error> {
        check_seed(request)?;
        let prover = Prover::new(backend.clone(), air.clone())?;
        let plan = by_format!(&request.options, options => prover.plan(options))?;
        let generates = prover.generates();
        Ok(Prepared { prover, plan, generates })
    }

    fn visit(backend: &Arc<AnyBackend<Self>>, request: &Request, air: &Arc<Self::Air>) -> Result<(), Error> {
        let prover = Prover::new(backend.clone(), air.clone())?;
        Ok(by_format!(&request.options, options => prover.visit(options))?)
    }

    fn steps(prover: &Self::Prover, request: &Request, generated: bool) -> Result<Vec<Step>, Error> {
        Ok(by_format!(&request.options, options => prover.rehearse(options, generated))?.steps)
    }

    fn prove(
        prover: &Self::Prover,
        request: &Request,
        parameters: BTreeMap<String, u64>,
        air: &Self::Air,
        trace: Option<&Trace<Goldilocks>>,
        follow: &Follow<'_>,
    ) -> Result<Vec<u8>, Error> {
        check_seed(request)?;
        let proof = match &request.options {
            AnyOptions::Lambdaworks(options) => {
                goldilocks_proof::encode(&proven(prover, options, request.extras.seed(), None, trace, follow)?)
            }
            AnyOptions::Compact(options) => {
                let (digest, masks) = (compact::AirDigest::OfAir, request.extras.mask_seed());
                compact::encode(&proven(prover, options, digest, masks, trace, follow)?, options)
            }
        };
        let statement = AnyProofFile {
            protocol: Self::NAME.to_owned(),
            extension_degree: Self::DEGREE as u64,
            air: request.air.clone(),
            parameters,
            log_rows: request.rows.ilog2(),
            options: request.options.clone(),
            seed: request.extras.seed.clone(),
            public_inputs: air.public_inputs(),
            proof,
        };
        statement.encode().map_err(Error::Encode)
    }
}

/// The proof of a trace, or of one that the device makes.
fn proven<F: ProofFormat>(
    prover: &Prover<AnyBackend<GoldilocksStark>>,
    options: &F,
    seed: F::Seed<'_>,
    masks: Option<MaskSeed>,
    trace: Option<&Trace<Goldilocks>>,
    follow: &Follow<'_>,
) -> Result<F::Proof<GoldilocksStark>, ProveError> {
    match (trace, masks) {
        (trace, Some(masks)) => prover.prove_masked(trace, options, seed, masks, &Following(follow)),
        (Some(trace), None) => prover.prove(trace, options, seed, &Following(follow)),
        (None, None) => prover.prove_generated(options, seed, &Following(follow)),
    }
}

/// Refuses a seed for a format that takes none.
fn check_seed(request: &Request) -> Result<(), ProveError> {
    match (&request.options, &request.extras.seed) {
        (AnyOptions::Compact(_), Some(_)) => Err(OptionsError::Seed.into()),
        _ => Ok(()),
    }
}

impl From<Plan> for MemoryPlan {
    fn from(plan: Plan) -> Self {
        Self {
            peak_bytes: plan.peak_bytes,
            peak_at: plan.peak_at,
            kept_bytes: 0,
            highest_bytes: plan.peak_bytes,
            upload_bytes: plan.upload_bytes,
            constraint_operations: plan.constraint_operations,
            spill: plan.spill,
        }
    }
}
