//! Quotients and folds.

use gpu_hal::op::{DeepQuotient, FriFold};
use gpu_hal::{DeepTerm, Domain, DomainOf, ExtOf, Operations, Result, Table, TableRef, Types};

use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// [`Operations::deep_quotient`]: on a coset device `b` at block `b` of the points, where its own rows are. On a
    /// circle a prefix is wanted, which lies in the first device's block. To hand rows out would take longer than the
    /// quotient; so every device takes as many first points of its own block ([`Layout::Alike`]), and its part of the
    /// extension that follows is made of them. Where a table is too low to be cut so, the first device takes all.
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
        let log_block = self.common_block(tables, log_rows);
        let rows =
            |device: usize, log_block: u32| self.shares(tables, device, (device << log_block, log_block), log_rows);
        if DomainOf::<O::T>::LIFTS {
            let first = (domain.block_index() as usize) << log_size;
            let on_first = log_block.filter(|log_block| log_size <= *log_block && first >> log_block == 0);
            // If the tables are extensions, the quotient is a polynomial, which as many points of any block fix.
            let are_extensions = tables.iter().all(|table| !table.data.is_split() || table.data.extension.is_some());
            if let Some(log_block) = on_first {
                let of_device = |device: usize| {
                    let blocks = (device as u32) << (log_block - log_size);
                    if device == 0 { Some(domain) } else { domain.sibling(domain.block_index() + blocks) }
                };
                let is_alike = are_extensions && !self.are_parts() && log_cut == 0;
                let domains: Option<Vec<_>> = (0..if is_alike { self.count() } else { 1 }).map(of_device).collect();
                let domains = domains.unwrap_or_else(|| vec![domain]);
                let values = self.brought(
                    domains.len(),
                    |device| rows(device, log_block),
                    |device, on, parts| on.deep_quotient(parts, log_whole - log_block, domains[device], terms),
                )?;
                return Ok(ShardedBuffer::alike(values));
            }
        } else if let Some(blocks) = log_block.and_then(|_| self.blocks_of(&domain)) {
            let log_block = blocks[0].log_size();
            let values = self.brought(
                self.count(),
                |device| rows(device, log_block),
                |device, on, parts| on.deep_quotient(parts, 0, blocks[device], terms),
            )?;
            return Ok(ShardedBuffer::blocks(values, log_size));
        }
        self.by_first::<DeepQuotient>((tables, log_cut, domain, terms))
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
            return self.by_first::<FriFold>((layer, domain, folded, alpha));
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
