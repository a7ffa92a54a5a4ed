//! From a file of the Goldilocks protocol to what it proves.

use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::{AirError, Recorded};
use field::Goldilocks;
use gpu_hal::Protocol;
use proof::{Counts, Proof, Statement};
use proof_format::{PolicyError, Security};
use verifier::{Policy, Seed};

use super::types::Report;
use crate::error::Error;
use crate::types::Goldilocks3;

/// Decodes a file and checks that it is of this protocol. Says nothing about the proof.
pub(super) fn decode(bytes: &[u8]) -> Result<Statement, Error> {
    let statement = Statement::decode(bytes).map_err(Error::File)?;
    if statement.protocol != Goldilocks3::NAME || statement.extension_degree != Goldilocks3::DEGREE as u64 {
        return Err(Error::Protocol { protocol: statement.protocol, degree: statement.extension_degree });
    }
    Ok(statement)
}

/// Verifies a file whose statement is the one that the caller insists on.
pub(super) fn verify(statement: Statement, policy: &Policy) -> Result<Report, Error> {
    let recorded = recorded(&statement)?;
    check_public_inputs(recorded.public_inputs(), &statement.public_inputs)?;
    let is_default = |given: &[u8]| given == verifier::transcript_seed(&recorded, &statement.options);
    if statement.seed.as_deref().is_some_and(is_default) {
        return Err(Error::DefaultSeed);
    }
    let seed = statement.seed.as_deref().map_or(Seed::Default, Seed::Given);
    let verified = verifier::verify_bytes(&recorded, &statement.options, seed, &statement.proof, policy)?;
    Ok(Report { options: statement.options, file: statement, security: verified.security, preprocessed_cells: 0 })
}

/// The security that a statement's options are worth, whether or not its proof is valid.
pub(super) fn security(statement: &Statement) -> Result<Security, Error> {
    Ok(verifier::security(&recorded(statement)?, &statement.options))
}

/// Why the default policy refuses a proof.
pub(super) fn refusals(report: &Report, length: usize) -> Vec<PolicyError> {
    let policy = Policy::default();
    [policy.check_length(length), policy.check_security(&report.security)].into_iter().filter_map(Result::err).collect()
}

/// The proof beside a statement, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(statement: &Statement) -> Result<Proof<Goldilocks3>, Error> {
    let (_, counts) = build(statement)?;
    proof::decode_exactly(&statement.proof, &counts).map_err(Error::Proof)
}

/// The recorded AIR of a statement.
fn recorded(statement: &Statement) -> Result<Recorded<Goldilocks3>, Error> {
    air::record(&*build(statement)?.0).map_err(Error::Statement)
}

/// The AIR that the file names, and the lengths of all lists of its proof. Recording an AIR takes memory by its columns, and the
/// file may claim any number of them: so the proof must be long enough to have as many.
fn build(statement: &Statement) -> Result<(Arc<dyn ExampleAir<Goldilocks3>>, Counts), Error> {
    // A default here would give one statement two files.
    let missing = airs::all()
        .iter()
        .filter(|info| info.name == statement.air)
        .flat_map(|info| info.params.iter().map(|param| (info.name, param)))
        .find(|(_, param)| !statement.parameters.contains_key(param.name));
    if let Some((air, param)) = missing {
        let (param, summary) = (param.name, param.summary);
        return Err(Error::Statement(AirError::MissingParam { air, param, summary }));
    }
    let air = airs::build::<Goldilocks3>(&statement.air, 1 << statement.log_rows, &statement.parameters)
        .map_err(Error::Statement)?;
    let layout = air.layout();
    statement.options.validate(statement.log_rows, layout.composition_parts).map_err(Error::Options)?;
    let counts = verifier::counts(&layout, statement.log_rows, &statement.options);
    counts.check_length::<Goldilocks3>(statement.proof.len()).map_err(Error::Proof)?;
    Ok((air, counts))
}

/// The public inputs are a function of the AIR and its parameters; the file repeats them for its reader.
fn check_public_inputs(expected: &[Goldilocks], found: &[Goldilocks]) -> Result<(), Error> {
    if found.len() != expected.len() {
        return Err(Error::PublicInputs(format!("there are {}, not {}", found.len(), expected.len())));
    }
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        None => Ok(()),
        Some(at) => Err(Error::PublicInputs(format!("number {at} is {}, not {}", found[at], expected[at]))),
    }
}
