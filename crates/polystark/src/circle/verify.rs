//! From a file to what it proves.

use std::sync::Arc;

use circle_air::airs::stated;
use circle_air::{BuildError, Statement};
use circle_proof::{CircleOptions, Policy, PolicyError, ProofFile, Security, Verified, VerifyError};

use super::Expect;
use super::request::build;
use crate::Error;

/// What was proven. There is one only of what the verifier accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The statement, and the proof.
    pub file: ProofFile,
    /// The options of the proof, and what it is worth.
    pub verified: Verified,
}

/// Verifies a file: that it holds the statement that `expect` insists on, a proof of it, and that the policy takes it.
///
/// # Errors
/// The first check that failed.
pub fn verify_file(bytes: &[u8], policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    policy.check_length(bytes.len())?;
    verify(ProofFile::decode(bytes).map_err(Error::File)?, policy, expect)
}

/// As [`verify_file`], for a file that is decoded already.
///
/// # Errors
/// Those of [`verify_file`].
pub fn verify(file: ProofFile, policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    expect.check(&file, &options(&file)?)?;
    let statement = statement(&file)?;
    let verified = circle_proof::verify(&*statement, &file.claimed_sums, &file.proof, policy)?;
    check_preimages(&file, policy, expect)?;
    Ok(Report { file, verified })
}

/// The options in the proof of a file. They are in range, and as yet nobody's but the proof's.
///
/// # Errors
/// If the proof has none, or impossible ones.
pub fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
    let config = circle_proof::codec::decode_config(&file.proof).map_err(VerifyError::from);
    Ok(config.and_then(|config| Ok(CircleOptions::try_from(config)?))?)
}

/// The security that the options in a file are worth, whether or not its proof is valid. Takes no time by the rows.
///
/// # Errors
/// If the statement does not exist, or cannot be proven with these options.
pub fn security(file: &ProofFile) -> Result<Security, Error> {
    Ok(circle_proof::security(&*statement(file)?, &options(file)?)?)
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
    let preimages = expect.preimages(file);
    if preimages.is_empty() {
        return Ok(());
    }
    let rows = 1 << file.log_rows;
    if rows > policy.max_preprocessed_cells {
        return Err(PolicyError::Preprocessed { found: rows, most: policy.max_preprocessed_cells }.into());
    }
    let parameters = file.parameters.iter().map(|(name, value)| (name.clone(), *value)).chain(preimages.clone());
    let air = build(&file.air, file.log_rows, &parameters.collect()).map_err(Error::CircleAir)?;
    if air.words() == file.words { Ok(()) } else { Err(Expect::other_preimages(&preimages).into()) }
}
