//! Quotients and folds.

use gpu_hal::{DeepTerm, Domain, DomainOf, ExtOf, Operations, Protocol, Result, Table, TableRef, Types};

use crate::layout::refs;
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// [`Operations::deep_quotient`]: device `b` at block `b` of the wanted points, and is brought the rows that these read. On a coset they
    /// are its own. On a circle a prefix is wanted, which lies on the first devices; the first of all takes its own blocks of the tables as
    /// they are. Where a table is too low to be cut so, the first device takes all.
    pub(crate) fn quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<O::T>,
        terms: &[DeepTerm<<O::T as Types>::P>],
    ) -> Result<Table<Self>> {
        // The highest table that there can be has as many rows.
        let (log_size, log_whole) = (domain.log_size(), domain.log_whole());
        let log_rows = log_whole - log_cut;
        let lifts = <O::T as Types>::P::LIFTS;
        let first = ((domain.block_index() as usize) << log_size) & ((1 << log_rows) - 1);
        // The first device's blocks, which serve as they are if what is wanted lies there.
        let log_block = self.common_block(tables, log_rows);
        let on_first = log_block.filter(|log_block| lifts && first >> log_block == 0);
        let blocks = log_block.and_then(|_| self.blocks_of(&domain));
        let log_part = log_size.saturating_sub(self.log_count());
        let is_cut = |table: &TableRef<'_, Self>| self.log_share(log_rows - table.log_height, log_part).is_some();
        if let Some(blocks) = blocks.filter(|_| tables.iter().all(is_cut)) {
            // Log2 of the rows that a device is brought of a table that is not lifted.
            let log_brought = |device: usize| on_first.filter(|_| device == 0).unwrap_or(log_part);
            let values = self.brought(
                self.count(),
                |device| {
                    let rows = log_brought(device);
                    let first = (first + (device << log_part)) >> rows << rows;
                    self.shares(tables, device, (first, rows), log_rows)
                },
                |device, on, parts| {
                    let log_cut = if lifts { log_whole - log_brought(device) } else { 0 };
                    on.deep_quotient(parts, log_cut, blocks[device], terms)
                },
            )?;
            return Ok(ShardedBuffer::blocks(values, log_size));
        }
        let (parts, log_cut) = match on_first.filter(|log_block| log_size <= *log_block) {
            Some(log_block) => (self.shares(tables, 0, (0, log_block), log_rows)?, log_whole - log_block),
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
        let values = self.brought(
            self.count(),
            |device| self.rows(layer, device, device << log_block, log_block).map(|part| vec![part]),
            |device, on, part| on.fri_fold(part[0], blocks[device], of_folded[device], alpha),
        )?;
        Ok(ShardedBuffer::blocks(values, folded.log_size()))
    }
}
