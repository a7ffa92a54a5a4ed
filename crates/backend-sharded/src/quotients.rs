//! Quotients and folds.

use gpu_hal::{DeepTerm, Domain, DomainOf, ExtOf, Operations, Protocol, Result, Table, TableRef, Types};

use crate::layout::refs;
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// [`Operations::deep_quotient`]: on a coset every device on its block. On a circle the first device, which takes its own blocks of the
    /// tables if the domain lies there, and else the tables in one piece.
    pub(crate) fn quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<O::T>,
        terms: &[DeepTerm<<O::T as Types>::P>],
    ) -> Result<Table<Self>> {
        // The highest table that there can be has as many rows.
        let (log_size, log_rows) = (domain.log_size(), domain.log_whole() - log_cut);
        let lifts = <O::T as Types>::P::LIFTS;
        let log_block = self.common_block(tables, log_rows);
        if let (false, Some(log_block), Some(blocks)) = (lifts, log_block, self.blocks_of(&domain)) {
            let values = self.each(|device| {
                let parts = self.shares(tables, device, (device << log_block, log_block), log_rows)?;
                self.on(device, |on| on.deep_quotient(&refs(&parts), 0, blocks[device], terms))
            })?;
            return Ok(ShardedBuffer::blocks(values, log_size));
        }
        let first = ((domain.block_index() as usize) << log_size) & ((1 << log_rows) - 1);
        let is_first = |log_block: &u32| lifts && log_size <= *log_block && first >> *log_block == 0;
        let (parts, log_cut) = match log_block.filter(is_first) {
            Some(log_block) => (self.shares(tables, 0, (0, log_block), log_rows)?, log_cut + self.log_count()),
            None => (self.wholes(tables)?, log_cut),
        };
        self.on(0, |on| on.deep_quotient(&refs(&parts), log_cut, domain, terms)).map(ShardedBuffer::whole)
    }

    /// [`Operations::fri_fold`]: a layer in blocks is folded to one in blocks, as long as these are large enough.
    pub(crate) fn folded(
        &self,
        layer: TableRef<'_, Self>,
        domain: DomainOf<O::T>,
        folded: DomainOf<O::T>,
        alpha: ExtOf<O::T>,
    ) -> Result<Table<Self>> {
        let blocks = self.blocks_of(&domain).zip(self.blocks_of(&folded)).filter(|_| layer.data.is_split());
        let Some((blocks, of_folded)) = blocks else {
            let layer = self.whole(layer)?;
            return self.on(0, |on| on.fri_fold(layer.as_ref(), domain, folded, alpha)).map(ShardedBuffer::whole);
        };
        let log_block = blocks[0].log_size();
        let values = self.each(|device| {
            let part = self.rows(layer, device, device << log_block, log_block)?;
            self.on(device, |on| on.fri_fold(part.as_ref(), blocks[device], of_folded[device], alpha))
        })?;
        Ok(ShardedBuffer::blocks(values, folded.log_size()))
    }
}
