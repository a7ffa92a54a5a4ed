//! From a file to what it proves.

use std::sync::Arc;

use circle_air::BuildError;
use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Policy, PolicyError, ProofFile, Security, Verified, VerifyError};

use super::Expect;
use super::request::{build, info};
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
    verify(ProofFile::decode(bytes).map_err(Error::File)?, policy, expect)
}

/// As [`verify_file`], for a file that is decoded already.
///
/// # Errors
/// Those of [`verify_file`].
pub fn verify(file: ProofFile, policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    expect.check(&file, &options(&file)?)?;
    let rows = 1 << file.log_rows;
    if rows > policy.max_preprocessed_cells {
        // Building a statement may take time by its rows.
        let error = PolicyError::Preprocessed { found: rows, most: policy.max_preprocessed_cells };
        return Err(Error::CircleVerify(error.into()));
    }
    let air = rebuild(&file)?;
    let words = air.words();
    if words != file.words {
        return Err(Error::PublicInputs(format!("they are {:?}, not {words:?}", file.words)));
    }
    let verified = circle_proof::verify(&*air, &file.claimed_sums, &file.proof, policy).map_err(Error::CircleVerify)?;
    Ok(Report { file, verified })
}

/// The options in the proof of a file. They are in range, and as yet nobody's but the proof's.
///
/// # Errors
/// If the proof has none, or impossible ones.
pub fn options(file: &ProofFile) -> Result<CircleOptions, Error> {
    let config = circle_proof::codec::decode_config(&file.proof).map_err(VerifyError::from);
    config.and_then(|config| Ok(CircleOptions::try_from(config)?)).map_err(Error::CircleVerify)
}

/// The security that the options in a file are worth, whether or not its proof is valid.
///
/// # Errors
/// If the statement does not exist, or cannot be proven with these options.
pub fn security(file: &ProofFile) -> Result<Security, Error> {
    circle_proof::security(&*rebuild(file)?, &options(file)?).map_err(Error::CircleVerify)
}

/// The AIR that the file names. It has exactly the parameters that the statement depends on: a default here would give one
/// statement two files, and of others the proof says nothing.
fn rebuild(file: &ProofFile) -> Result<Arc<dyn ShippedAir>, Error> {
    let params = info(&file.air).into_iter().flat_map(|info| info.params.iter().map(move |param| (info, param)));
    for (info, param) in params {
        let (air, name, summary) = (info.name, param.name, param.summary);
        match (param.is_public, file.parameters.contains_key(name)) {
            (true, false) => {
                return Err(Error::CircleStatement(BuildError::MissingParam { air, param: name, summary }));
            }
            (false, true) => {
                let known = info.params.iter().filter(|param| param.is_public).map(|param| param.name).collect();
                return Err(Error::CircleStatement(BuildError::UnknownParam { air, param: name.to_owned(), known }));
            }
            _ => {}
        }
    }
    build(&file.air, file.log_rows, &file.parameters).map_err(Error::CircleStatement)
}
