//! From a file of the Goldilocks protocol to what it proves.

use air::{Air, Recorded};
use gpu_hal::Protocol;
use proof::{Counts, OptionsError, Proof, Statement};
use proof_format::security::Rounds;
use verifier::{Policy, Seed};

use super::error::GoldilocksError;
use super::types::{Airs, Report};
use crate::error::Error;
use crate::system::Goldilocks3;

/// Decodes a file and checks that it is of this protocol. Says nothing about the proof.
pub(super) fn decode(bytes: &[u8]) -> Result<Statement, Error> {
    let statement = Statement::decode(bytes).map_err(Error::File)?;
    if statement.protocol != Goldilocks3::NAME || statement.extension_degree != Goldilocks3::DEGREE as u64 {
        return Err(Error::Protocol { protocol: statement.protocol, degree: statement.extension_degree });
    }
    Ok(statement)
}

/// Verifies a file whose statement is `air`.
pub(super) fn verify(statement: Statement, air: &dyn Air<Goldilocks3>, policy: &Policy) -> Result<Report, Error> {
    let recorded = recorded(&statement, air)?;
    let is_default = |given: &[u8]| given == verifier::transcript_seed(&recorded, &statement.options);
    if statement.seed.as_deref().is_some_and(is_default) {
        return Err(Error::DefaultSeed);
    }
    let seed = statement.seed.as_deref().map_or(Seed::Default, Seed::Given);
    let verified = verifier::verify_bytes(&recorded, &statement.options, seed, &statement.proof, policy)?;
    Ok(Report { options: statement.options, file: statement, security: verified.security, preprocessed_cells: 0 })
}

/// The rounds of a statement's proof, whether or not it is valid.
pub(super) fn rounds(statement: &Statement, air: &dyn Air<Goldilocks3>) -> Result<Rounds, Error> {
    let shape = verifier::shape_of(&recorded(statement, air)?);
    proof::security::rounds(&statement.options, &shape).map_err(options_error)
}

/// The proof beside a statement about one of `airs`, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(airs: &Airs, statement: &Statement) -> Result<Proof<Goldilocks3>, Error> {
    let counts = counts(statement, &*airs.stated(statement)?)?;
    proof::decode_exactly(&statement.proof, &counts).map_err(Error::Proof)
}

fn options_error(error: OptionsError) -> Error {
    GoldilocksError::Options(error).into()
}

/// The recorded AIR of a statement.
fn recorded(statement: &Statement, air: &dyn Air<Goldilocks3>) -> Result<Recorded<Goldilocks3>, Error> {
    counts(statement, air)?;
    air::record(air).map_err(|error| Error::Statement(Box::new(error.into())))
}

/// The lengths of all lists of the proof. Recording an AIR takes memory by its columns, and the file may claim any number of them: so the
/// proof must be long enough to have as many.
fn counts(statement: &Statement, air: &dyn Air<Goldilocks3>) -> Result<Counts, Error> {
    let layout = air.layout();
    statement.options.validate(statement.log_rows, layout.composition_parts).map_err(options_error)?;
    let counts = verifier::counts(&layout, statement.log_rows, &statement.options);
    counts.check_length::<Goldilocks3>(statement.proof.len()).map_err(Error::Proof)?;
    Ok(counts)
}
