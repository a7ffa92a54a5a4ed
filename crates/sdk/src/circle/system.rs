//! Circle as a proof system of the library.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::AirFile;
use circle_air::{RecordedStatement, Statement, Trace, lower_air};
use circle_proof::{CircleOptions, FixedOptions, Policy, PolicyError, Profile, Proof, ProofFile};
use gpu_hal::CircleStark;
use gpu_hal::rehearsal::Step;
use proof_format::Security;
use proof_format::security::{NoOptions, Rounds};
use prover_core::circle::{CircleProof, Plan, ProveError, Prover};

use super::expect::ExpectOptions;
use super::request::Extras;
use super::types::{Airs, Request};
use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::driver::{DeviceOptions, Driver};
use crate::error::Error;
use crate::stage::{Follow, Following};
use crate::statements::statement_error::StatementError;
use crate::system::{AirFacts, FileContents, MemoryPlan, Prepared, ProofSystem};
use crate::verification::mismatch::Mismatch;

impl ProofSystem for CircleStark {
    type Options = CircleOptions;
    type File = ProofFile;
    type Public = u32;
    type ExpectOptions = ExpectOptions;
    type Policy = Policy;
    type FixedOptions = FixedOptions;
    type Extras = Extras;
    type Air = dyn Statement;
    type Trace = Trace;
    type Plan = Plan;
    type Prover = Prover<AnyBackend<Self>>;

    fn default_options(rows: u64) -> CircleOptions {
        CircleOptions::for_rows(rows)
    }

    fn facts(statement: &Self::Air) -> AirFacts<'_, u32> {
        // Sizes do not depend on drawn elements or claims.
        let components = statement.components(&vec![Default::default(); statement.draws() + statement.claims()]);
        AirFacts {
            name: statement.name(),
            rows: components.first().and_then(|first| 1u64.checked_shl(first.log_size())).unwrap_or(0),
            public: statement.words(),
            vouches: statement.has_bounded_multiplicities(),
        }
    }

    fn columns(statement: &Self::Air) -> Result<Option<usize>, StatementError> {
        if let Some(air) = statement.air() {
            return Ok(Some(air.layout().main_columns));
        }
        let recorded =
            RecordedStatement::new(statement, None).map_err(|error| StatementError::Other(error.to_string()))?;
        match &recorded.components[..] {
            [only] => Ok(Some(only.width(1))),
            _ => Ok(None),
        }
    }

    fn air_of_file(bytes: &[u8]) -> Result<Arc<Self::Air>, StatementError> {
        let air = AirFile::<Self>::decode(bytes).map_err(StatementError::AirFile)?;
        Ok(Arc::new(lower_air(Arc::new(air))?))
    }

    fn air_to_file(statement: &Self::Air) -> Result<Vec<u8>, StatementError> {
        let air = statement.air().ok_or_else(|| StatementError::NoAirFile(statement.name().to_owned()))?;
        AirFile::of(air)?.encode().map_err(StatementError::AirFile)
    }

    fn decode(bytes: &[u8]) -> Result<ProofFile, Error> {
        ProofFile::decode(bytes).map_err(Error::File)
    }

    fn stated(file: &ProofFile) -> FileContents<'_, u32> {
        FileContents {
            air: &file.air,
            rows: 1 << file.log_rows,
            parameters: &file.parameters,
            public_inputs: &file.words,
            proof: &file.proof,
        }
    }

    fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
        Ok(circle_proof::decode_options(&file.proof, file.suite)?)
    }

    fn rounds(file: &ProofFile, statement: &Self::Air) -> Result<Rounds, Error> {
        Ok(circle_proof::rounds(statement, &Self::options(file)?)?)
    }

    fn rounds_of(request: &Request, statement: &Self::Air) -> Result<Rounds, Error> {
        // A statement that cannot be proven is no invalid proof.
        check(request, statement)?;
        Ok(circle_proof::rounds(statement, &request.resolved_options(statement))?)
    }

    fn cheapest(
        request: &Request,
        statement: &Self::Air,
        given: &FixedOptions,
        profile: Profile,
    ) -> Result<CircleOptions, Error> {
        let with = |options: CircleOptions| {
            let CircleOptions { lifting, suite, .. } = request.options;
            let options = CircleOptions { lifting, suite, ..options };
            Request { options, ..request.clone() }
        };
        let lifted = |options| with(options).resolved_options(statement);
        circle_proof::cheapest(profile, given, statement, &lifted).map_err(|error| match error {
            NoOptions::OutOfReach(out) => out.into(),
            NoOptions::Impossible(error) => {
                let defaults = CircleOptions::default();
                let tried = CircleOptions {
                    pow_bits: given.pow_bits.unwrap_or(defaults.pow_bits),
                    log_blowup: given.log_blowup.unwrap_or(1),
                    queries: given.queries.unwrap_or(defaults.queries),
                    fold_step: given.fold_step.unwrap_or(1),
                    log_last: given.log_last.unwrap_or(0),
                    lifting: None,
                    ..defaults
                };
                // If the prover refuses them, its error says why.
                check(&with(tried), statement).err().unwrap_or_else(|| error.into())
            }
        })
    }

    fn check_recomputed(policy: &Policy, rows: u64) -> Result<(), Error> {
        let most = policy.max_preprocessed_cells;
        if rows <= most { Ok(()) } else { Err(PolicyError::Recomputed { found: rows, most }.into()) }
    }

    fn check_options(expected: &ExpectOptions, _: &ProofFile, options: &CircleOptions) -> Result<(), Mismatch> {
        expected.check(options)
    }

    fn max_bytes(policy: &Policy) -> u64 {
        policy.max_bytes
    }

    fn verify(
        file: &ProofFile,
        statement: &Self::Air,
        policy: &Policy,
        _: &ExpectOptions,
    ) -> Result<(Security, u64), Error> {
        policy.check_suite(file.suite)?;
        let verified = circle_proof::verify(statement, &file.claimed_sums, &file.proof, policy)?;
        Ok((verified.security, verified.preprocessed_cells))
    }

    fn open(driver: &dyn Driver, options: &DeviceOptions) -> Result<OpenBackend<Self>, Error> {
        driver.circle(options)
    }

    fn demands(request: &Request) -> (Policy, ExpectOptions) {
        (Policy { suite: request.options.suite, kind: request.profile.kind, ..Policy::ANY }, ExpectOptions::default())
    }

    fn check_trace(air: &Self::Air, trace: &Self::Trace, limit: usize) -> Result<(), Error> {
        Ok(circle_air::check_trace(air, trace, limit)?)
    }

    fn prepare(
        backend: &Arc<AnyBackend<Self>>,
        request: &Request,
        air: &Arc<Self::Air>,
    ) -> Result<Prepared<Self>, Error> {
        let prover = Prover::new(backend.clone(), air.clone(), &request.resolved_options(&**air))?;
        let (plan, generates) = (prover.plan().clone(), prover.generates());
        Ok(Prepared { prover, plan, generates })
    }

    fn least_plan(backend: &Arc<AnyBackend<Self>>, request: &Request, air: &Arc<Self::Air>) -> Result<Plan, Error> {
        Ok(Prover::least_plan(backend, air.clone(), &request.resolved_options(&**air))?)
    }

    fn visit(backend: &Arc<AnyBackend<Self>>, request: &Request, air: &Arc<Self::Air>) -> Result<(), Error> {
        Ok(Prover::visit(backend, air.clone(), &request.resolved_options(&**air))?)
    }

    fn steps(prover: &Self::Prover, _: &Request, generated: bool) -> Result<Vec<Step>, Error> {
        Ok(prover.rehearse(generated)?.steps)
    }

    fn prove(
        prover: &Self::Prover,
        request: &Request,
        parameters: BTreeMap<String, u64>,
        statement: &Self::Air,
        trace: Option<&Trace>,
        follow: &Follow<'_>,
    ) -> Result<Vec<u8>, Error> {
        let CircleProof { claimed_sums, proof, .. } = match trace {
            Some(trace) => prover.prove(trace, &Following(follow)),
            None => prover.prove_generated(&Following(follow)),
        }?;
        let file = ProofFile {
            air: request.air.clone(),
            parameters,
            log_rows: request.rows.ilog2(),
            words: statement.words(),
            claimed_sums,
            proof: circle_proof::encode(&proof),
            suite: proof.config.suite,
        };
        file.encode().map_err(Error::Encode)
    }
}

impl From<Plan> for MemoryPlan {
    fn from(plan: Plan) -> Self {
        Self {
            peak_bytes: plan.peak_bytes,
            peak_at: plan.peak_at,
            kept_bytes: plan.kept_bytes,
            highest_bytes: plan.peak_bytes.max(plan.preparation_bytes),
            upload_bytes: plan.upload_bytes,
            constraint_operations: plan.constraint_operations,
            spill: plan.spill,
        }
    }
}

/// Refuses a statement, that of the request, that cannot be proven, without a device.
fn check(request: &Request, air: &dyn Statement) -> Result<(), Error> {
    let options = request.resolved_options(air);
    let recorded = RecordedStatement::new(air, options.lifting).map_err(ProveError::from)?;
    options.validate(recorded.max_log_size()).map_err(ProveError::from)?;
    Ok(recorded.check_config(air, options.log_blowup, options.lifting).map_err(ProveError::from)?)
}

/// The proof in a file about one of `airs`, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(airs: &Airs, file: &ProofFile) -> Result<Proof, Error> {
    Ok(circle_proof::decode_for(&*airs.stated(file)?, &file.proof, file.suite)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use circle_proof::Suite;

    use super::*;
    use crate::circle::{Device, Expect};

    /// The suite is the file's word, as its proof does not say it.
    #[test]
    fn a_file_of_another_suite_than_the_policy_s_is_refused() {
        let device = Device::open("cpu", Some(1)).unwrap();
        for suite in Suite::ALL {
            let mut request = Request::new("fibonacci", 16);
            request.options.suite = suite;
            let file = device.prove(&request).unwrap().file;
            for taken in Suite::ALL {
                let policy = Policy { suite: taken, ..Policy::default() };
                match Airs::default().verify_file(&file, &policy, &Expect::default()) {
                    Ok(report) => assert_eq!((taken, report.options.suite), (suite, suite)),
                    Err(Error::Policy(PolicyError::Suite { .. })) => assert_ne!(taken, suite),
                    Err(error) => panic!("{suite}, taken {taken}: {error}"),
                }
            }
        }
    }

    #[test]
    fn leaves_are_hashed_anew_only_as_far_as_the_policy_goes() {
        let parameters: BTreeMap<String, u64> = [("s".to_owned(), 5)].into();
        let request = Request { parameters: parameters.clone(), ..Request::new("poseidon2", 16) };
        let file = ProofFile {
            air: "poseidon2".into(),
            parameters: [].into(),
            log_rows: 4,
            words: Airs::default().build(&request).unwrap().air.words(),
            claimed_sums: Vec::new(),
            proof: Vec::new(),
            suite: Suite::default(),
        };
        let expect = Expect { parameters, ..Expect::default() };
        let policy = |most| Policy { max_preprocessed_cells: most, ..Policy::ANY };
        let check = |most| Airs::default().check_preimages(&file, &policy(most), &expect);
        assert!(check(16).is_ok());
        let error = check(15).unwrap_err();
        assert!(matches!(error, Error::Policy(PolicyError::Recomputed { found: 16, most: 15 })), "{error}");
    }
}
