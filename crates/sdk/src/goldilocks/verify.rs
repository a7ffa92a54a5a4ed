//! The statement of a file of the Goldilocks protocol, recorded, and its proof, decoded.

use air::{Air, Recorded};
use goldilocks_proof::{Counts, OptionsError, Proof, Statement};
use gpu_hal::GoldilocksStark;

use super::error::GoldilocksError;
use super::types::Airs;
use crate::error::Error;

/// The proof beside a statement about one of `airs`, decoded. Nothing of it is verified.
///
/// # Errors
/// If the statement does not exist, or the proof is not of its shape.
pub fn decode_proof(airs: &Airs, statement: &Statement) -> Result<Proof<GoldilocksStark>, Error> {
    let counts = counts(statement, &*airs.stated(statement)?)?;
    goldilocks_proof::decode_exactly(&statement.proof, &counts).map_err(Error::Proof)
}

pub(super) fn options_error(error: OptionsError) -> Error {
    GoldilocksError::Options(error).into()
}

/// The recorded AIR of a statement.
pub(super) fn recorded(
    statement: &Statement,
    air: &dyn Air<GoldilocksStark>,
) -> Result<Recorded<GoldilocksStark>, Error> {
    counts(statement, air)?;
    air::record(air).map_err(|error| Error::Statement(Box::new(error.into())))
}

/// The lengths of all lists of the proof. Recording an AIR takes memory by its columns, and the file may claim any
/// number of them: so the proof must be long enough to have as many.
fn counts(statement: &Statement, air: &dyn Air<GoldilocksStark>) -> Result<Counts, Error> {
    let layout = air.layout();
    statement.options.validate(statement.log_rows, layout.composition_parts).map_err(options_error)?;
    let counts = goldilocks_verifier::counts(&layout, statement.log_rows, &statement.options);
    counts.check_length::<GoldilocksStark>(statement.proof.len()).map_err(Error::Proof)?;
    Ok(counts)
}
