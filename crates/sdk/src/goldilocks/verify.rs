//! The statement of a file of the Goldilocks protocol, recorded, and its proof, decoded.

use air::{Air, RecordedAir};
use field::Fp3;
use goldilocks_proof::compact::{Head, decode_head};
use goldilocks_proof::{AnyOptions, AnyProofFile, OptionsError, Proof, decode_exactly};
use goldilocks_verifier::{Key, VerifyError, compact, counts};
use gpu_hal::GoldilocksStark;
use proof_format::wire::Reader;

use super::error::GoldilocksError;
use super::types::Airs;
use crate::error::Error;

/// The parts of a proof that can be read without its transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// All of a proof of the format of lambdaworks.
    Lambdaworks(Proof<GoldilocksStark>),
    /// The parts of a compact proof.
    Compact {
        /// All that stands before the queries.
        head: Head<Fp3>,
        /// Bytes of the answers to them. The transcript says which leaves they are.
        opened: usize,
    },
}

/// The proof beside a statement about one of `airs`, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(airs: &Airs, statement: &AnyProofFile) -> Result<Contents, Error> {
    let (air, bytes) = (airs.stated(statement)?, &statement.proof[..]);
    check_length(statement, &*air)?;
    match &statement.options {
        AnyOptions::Lambdaworks(options) => {
            let counts = counts(&air.layout(), statement.log_rows, options);
            decode_exactly(bytes, &counts).map(Contents::Lambdaworks).map_err(Error::Proof)
        }
        AnyOptions::Compact(options) => {
            let mut reader = Reader::new(bytes);
            let sizes = compact::sizes(&air.layout(), statement.log_rows);
            let head = decode_head(&mut reader, &sizes, options).map_err(Error::Proof)?;
            Ok(Contents::Compact { head, opened: bytes.len() - reader.offset() })
        }
    }
}

/// The key of a statement whose proofs are of a suite.
///
/// # Errors
/// If the AIR contradicts itself.
pub fn key(air: &dyn Air<GoldilocksStark>, suite: &str) -> Result<Key, Error> {
    let recorded = air::record(air).map_err(|error| Error::Statement(Box::new(error.into())))?;
    Ok(Key::of(&recorded, suite))
}

pub(super) fn options_error(error: OptionsError) -> Error {
    GoldilocksError::Options(error).into()
}

/// The recorded AIR of a statement.
pub(super) fn recorded(
    statement: &AnyProofFile,
    air: &dyn Air<GoldilocksStark>,
) -> Result<RecordedAir<GoldilocksStark>, Error> {
    check_length(statement, air)?;
    air::record(air).map_err(|error| Error::Statement(Box::new(error.into())))
}

/// Whether the proof can be as long as it is, which bounds the columns.
fn check_length(statement: &AnyProofFile, air: &dyn Air<GoldilocksStark>) -> Result<(), Error> {
    let AnyProofFile { log_rows, options, proof, .. } = statement;
    let checked = goldilocks_verifier::check_length::<GoldilocksStark>(&air.layout(), *log_rows, options, proof.len());
    checked.map_err(|error| match error {
        VerifyError::Options(error) => options_error(error),
        VerifyError::Decode(error) => Error::Proof(error),
        error => error.into(),
    })
}
