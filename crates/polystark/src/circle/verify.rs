//! From a file of the Circle protocol to what it proves.

use std::sync::Arc;

use circle_air::airs::stated;
use circle_air::{BuildError, Statement};
use circle_proof::{CircleOptions, Policy, PolicyError, Proof, ProofFile, Security, VerifyError};

use super::expect::{other_preimages, preimages};
use super::request::build;
use super::types::{Expect, Report};
use crate::error::Error;

/// Verifies a file whose statement and options are those that the caller insists on.
pub(super) fn verify(file: ProofFile, policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    let statement = statement(&file)?;
    let verified = circle_proof::verify(&*statement, &file.claimed_sums, &file.proof, policy)?;
    check_preimages(&file, policy, expect)?;
    let (options, preprocessed_cells) = (verified.options, verified.preprocessed_cells);
    Ok(Report { file, options, security: verified.security, preprocessed_cells })
}

/// The options in the proof of a file. They are in range, and as yet nobody's but the proof's.
pub(super) fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
    let config = circle_proof::codec::decode_config(&file.proof).map_err(VerifyError::from);
    Ok(config.and_then(|config| Ok(CircleOptions::try_from(config)?))?)
}

/// The security that the options in a file are worth, whether or not its proof is valid. Takes no time by the rows.
pub(super) fn security(file: &ProofFile) -> Result<Security, Error> {
    Ok(circle_proof::security(&*statement(file)?, &options(file)?)?)
}

/// Why the default policy refuses a proof.
pub(super) fn refusals(report: &Report, length: usize) -> Vec<PolicyError> {
    let policy = Policy::default();
    let checks = [
        policy.check_length(length),
        policy.check_preprocessed(report.preprocessed_cells),
        policy.check_security(&report.security),
    ];
    checks.into_iter().filter_map(Result::err).collect()
}

/// The proof in a file, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(file: &ProofFile) -> Result<Proof, Error> {
    Ok(circle_proof::decode_for(&*statement(file)?, &file.proof)?)
}

/// The statement that the file names.
fn statement(file: &ProofFile) -> Result<Arc<dyn Statement>, Error> {
    stated(&file.air, file.log_rows, &file.parameters, &file.words).map_err(|error| match error {
        BuildError::Words { what, found, expected, .. } => {
            Error::PublicInputs(format!("{what} is {found}, not {expected}"))
        }
        error => Error::CircleStatement(error),
    })
}

/// Whether the public values are those of the parameters that the caller insists on and the file does not hold. They are
/// computed anew, in time by the rows: so this comes last, and only if the policy lets the verifier walk as many rows.
fn check_preimages(file: &ProofFile, policy: &Policy, expect: &Expect) -> Result<(), Error> {
    let preimages = preimages(expect, file);
    if preimages.is_empty() {
        return Ok(());
    }
    let rows = 1 << file.log_rows;
    if rows > policy.max_preprocessed_cells {
        return Err(PolicyError::Recomputed { found: rows, most: policy.max_preprocessed_cells }.into());
    }
    let parameters = file.parameters.iter().map(|(name, value)| (name.clone(), *value)).chain(preimages.clone());
    let air = build(&file.air, file.log_rows, &parameters.collect()).map_err(Error::CircleAir)?;
    if air.words() == file.words { Ok(()) } else { Err(other_preimages(&preimages).into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_hashed_anew_only_as_far_as_the_policy_goes() {
        let parameters = [("s".to_owned(), 5)].into();
        let file = ProofFile {
            air: "poseidon2".into(),
            parameters: [].into(),
            log_rows: 4,
            words: build("poseidon2", 4, &parameters).unwrap().words(),
            claimed_sums: Vec::new(),
            proof: Vec::new(),
        };
        let expect = Expect { parameters, ..Expect::default() };
        let check = |most| check_preimages(&file, &Policy { max_preprocessed_cells: most, ..Policy::ANY }, &expect);
        assert!(check(16).is_ok());
        let error = check(15).unwrap_err();
        assert!(matches!(error, Error::Policy(PolicyError::Recomputed { found: 16, most: 15 })), "{error}");
    }
}
