//! Masked rows, the mask word and salts of a proof that hides its witness.

use gpu_hal::{Basis, CosetProtocol, Protocol, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::masks::{Masks, Stream};
use crate::table::Table;

impl<B: StarkBackend<P: CosetProtocol>, S, F> Context<'_, B, S, F> {
    /// Fills the free rows of columns, in row order, with random elements, if the proof hides its witness.
    pub(crate) fn mask_rows(&self, columns: &mut Table<B>, stream: Stream) -> Result<(), ProveError> {
        let Some(masks) = self.masks else { return Ok(()) };
        let from = columns.height() - self.recorded.free_rows().min(columns.height());
        Ok(self.backend.random(columns.as_mut(), &masks.rows(stream, from))?)
    }

    /// The mask word on the LDE domain: a uniform polynomial with as many coefficients as the trace has rows. `columns`
    /// are any in row order.
    pub(crate) fn mask_word(&self, columns: &Table<B>) -> Result<Option<Table<B>>, ProveError> {
        let Some(masks) = self.masks else { return Ok(None) };
        let coefficients = self.random_table(masks, columns, <B::P as Protocol>::DEGREE, Stream::Word)?;
        Ok(Some(self.backend.lde(coefficients.as_ref(), Basis::Coefficients, self.domains.lde)?))
    }

    /// So many random columns, as high as these, which are of any values.
    pub(crate) fn random_table(
        &self,
        masks: Masks,
        like: &Table<B>,
        width: usize,
        stream: Stream,
    ) -> Result<Table<B>, ProveError> {
        // A copy of a column has the height that is needed, and all of it is written.
        let mut table = self.backend.select(&[like.as_ref()], &vec![(0, 0); width])?;
        self.backend.random(table.as_mut(), &masks.rows(stream, 0))?;
        Ok(table)
    }
}
