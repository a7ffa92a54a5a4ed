//! From a file to what it proves.

use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::{AirError, Recorded};
use field::Goldilocks;
use gpu_hal::Protocol;
use proof::policy::check_length;
use proof::{Counts, Proof, Security, Statement};
use verifier::{Policy, Seed};

use crate::expect::Expect;
use crate::{Error, Goldilocks3};

/// The protocol that is verified here.
pub(crate) const PROTOCOL: &str = Goldilocks3::NAME;
/// Degree of its extension.
pub(crate) const DEGREE: usize = Goldilocks3::DEGREE;

/// What was proven. There is one only of what the verifier accepted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The statement, and the proof.
    pub statement: Statement,
    /// What the proof is worth.
    pub security: Security,
}

impl Report {
    /// Rows of the trace.
    pub fn rows(&self) -> u64 {
        1 << self.statement.log_rows
    }

    /// The public inputs.
    pub fn public_inputs(&self) -> &[Goldilocks] {
        &self.statement.public_inputs
    }
}

/// Decodes a file and checks that it is of the protocol of this program. Says nothing about the proof.
///
/// # Errors
/// [`Error::File`] and [`Error::Protocol`].
pub fn decode_file(bytes: &[u8]) -> Result<Statement, Error> {
    let statement = Statement::decode(bytes).map_err(Error::File)?;
    if statement.protocol != PROTOCOL || statement.extension_degree != DEGREE as u64 {
        return Err(Error::Protocol { protocol: statement.protocol, degree: statement.extension_degree });
    }
    Ok(statement)
}

/// Verifies a file: that it holds the statement that `expect` insists on, a proof of it, and that this is worth what the
/// policy asks for. Memory is a small multiple of the file's size, whatever the file says.
///
/// # Errors
/// The first check that failed.
pub fn verify_file(bytes: &[u8], policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    check_length(bytes.len(), policy.max_bytes)?;
    verify_statement(decode_file(bytes)?, policy, expect)
}

/// As [`verify_file`], for a file that is decoded already.
///
/// # Errors
/// Those of [`verify_file`].
pub fn verify_statement(statement: Statement, policy: &Policy, expect: &Expect) -> Result<Report, Error> {
    expect.check(&statement)?;
    let recorded = recorded(&statement)?;
    check_public_inputs(recorded.public_inputs(), &statement.public_inputs)?;
    let seed = statement.seed.as_deref().map_or(Seed::Default, Seed::Given);
    if seed == Seed::Given(&verifier::transcript_seed(&recorded, &statement.options)) {
        return Err(Error::DefaultSeed);
    }
    let verified = verifier::verify_bytes(&recorded, &statement.options, seed, &statement.proof, policy)?;
    Ok(Report { statement, security: verified.security })
}

/// The security that a statement's options are worth, whether or not its proof is valid.
///
/// # Errors
/// If the statement does not exist, or the proof beside it is not as long as one of it.
pub fn security(statement: &Statement) -> Result<Security, Error> {
    Ok(verifier::security(&recorded(statement)?, &statement.options))
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
