//! Tables in row order, before they are extended: every device makes them for itself where it will take all of their
//! rows anyway. So rows cross once at most, and tables made of data (traces) or of such tables (running columns) do not
//! cross at all.

use gpu_hal::{Operations, Result, TableRef};

use crate::Sharded;

impl<O: Operations> Sharded<O> {
    /// How many devices make a table of `2^log_height` rows for themselves: all, or the first alone, where its
    /// extension would not be cut. Parts of one device share their memory and have nothing to gain.
    pub(crate) fn makers(&self, log_height: u32) -> usize {
        if self.are_parts() || self.log_block(log_height).is_none() { 1 } else { self.count() }
    }

    /// Makes something of whole tables: every device for itself if one of them is everywhere, and is brought the
    /// others; else the first, and is brought blocks.
    pub(crate) fn in_full<R: Send>(
        &self,
        tables: &[TableRef<'_, Self>],
        run: impl Fn(usize, &O, &[TableRef<'_, O::T>]) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let everywhere = tables.iter().any(|table| table.data.is_everywhere());
        let count = if everywhere { self.count() } else { 1 };
        let all = |device: usize| {
            let all = tables.iter().map(|table| self.rows(*table, device, 0, table.log_height));
            all.collect::<Result<Vec<_>>>()
        };
        self.brought(count, all, run)
    }
}
