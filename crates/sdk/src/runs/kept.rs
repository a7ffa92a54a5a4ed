//! Preprocessed columns that stay on a device for the runs that are proven next.

use std::sync::{Arc, Mutex, PoisonError};

use cairo::preprocessed::Variant;
use circle_proof::{CircleOptions, Suite};
use gpu_hal::CircleStark;

use super::request::{CairoRequest, Columns, Prover};
use crate::devices::backend::AnyBackend;
use crate::error::Error;

/// The parameters of preprocessed columns: the variant, the blowup, the lifting and the suite.
type Key = (Variant, u32, Option<u32>, Suite);

/// The preprocessed columns that are on a device.
#[derive(Default)]
pub(super) struct KeptColumns(Mutex<Vec<(Key, Columns)>>);

impl KeptColumns {
    /// A prover of the run, with the columns that are kept, or with new ones, which are kept then.
    pub(super) fn prover<'a>(
        &self,
        backend: &Arc<AnyBackend<CircleStark>>,
        request: &CairoRequest<'a>,
    ) -> Result<Prover<'a>, Error> {
        let CircleOptions { log_blowup, lifting, suite, .. } = request.options;
        let key = (request.variant, log_blowup, lifting, suite);
        // Columns that a panic left out can be made again.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, columns)) = kept.iter().find(|(known, _)| *known == key) {
            let columns = columns.clone();
            drop(kept);
            return request.prover(backend, Some(columns));
        }
        // They are made under the lock: another run that needs them waits and has them then. A proof that is being made
        // needs no lock, so that memory that it holds comes back.
        let made = request.prover(backend, None)?;
        kept.push((key, made.preprocessed().clone()));
        Ok(made)
    }
}
