//! Constraints: a device has part of the points on which they are wanted.

use gpu_hal::{Constraints, Domain, Operations, Protocol, Result, Table, TableRef, Types};

use crate::layout::{Part, refs};
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// One request of [`Operations::constraint_eval`].
    ///
    /// Wanted are `2^p` points of a prefix. Device `b` takes block `b` of these, if such a block is closed under the steps of the trace,
    /// and is brought the rows of the columns there: they are its own if all points are wanted. Otherwise the first device takes all.
    pub(crate) fn evaluated(&self, request: &Constraints<'_, Self>) -> Result<Table<Self>> {
        let (domain, log_eval, columns) = (request.domain, request.log_eval, request.columns);
        let is_split = columns.iter().any(|table| table.data.is_split());
        // On a coset as many points as the trace has rows are closed under its steps; on a circle it takes more.
        let log_closed = request.log_trace + u32::from(<O::T as Types>::P::LIFTS);
        let blocks = domain.prefix(log_eval).and_then(|prefix| self.blocks_of(&prefix));
        if let (Some(blocks), true) = (blocks, is_split)
            && let Some(log_block) = self.log_block(log_eval).filter(|log_block| *log_block >= log_closed)
            && self.are_lifts(columns, domain.log_size(), log_block)
        {
            let first = self.first_rows(request, log_block);
            let values = self.each(|device| {
                // The first device's part is where its blocks begin, which serve as they are.
                let (on, log_rows) = match first {
                    Some((on, log_rows)) if device == 0 => (on, log_rows),
                    _ => (blocks[device], log_block),
                };
                let parts = self.shares(columns, device, (device << log_block, log_rows), domain.log_size())?;
                self.evaluated_on(device, request, &parts, (on, log_block))
            })?;
            return Ok(ShardedBuffer::blocks(values, log_eval));
        }
        // The first block serves as it is, if it has all points; other rows are not read.
        let first = self.first_rows(request, log_eval);
        let (parts, domain) = match first.filter(|_| is_split) {
            Some((first, log_first)) => (self.shares(columns, 0, (0, log_first), domain.log_size())?, first),
            None => (self.wholes(columns)?, domain),
        };
        self.evaluated_on(0, request, &parts, (domain, log_eval)).map(ShardedBuffer::whole)
    }

    /// Requests whose tables are whole.
    pub(crate) fn evaluated_by_first(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        let tables = requests.iter().map(|request| self.wholes(request.columns)).collect::<Result<Vec<_>>>()?;
        let tables: Vec<_> = tables.iter().map(|tables| refs(tables)).collect();
        let mut on_first: Vec<Constraints<'_, O::T>> = Vec::with_capacity(requests.len());
        for (request, columns) in requests.iter().zip(&tables) {
            let &Constraints { program, domain, log_trace, log_eval, params, combination, .. } = request;
            on_first.push(Constraints {
                program: program.on(0),
                columns,
                domain,
                log_trace,
                log_eval,
                params,
                combination,
            });
        }
        let made = self.on(0, |on| on.constraint_eval(&on_first))?;
        Ok(made.into_iter().map(ShardedBuffer::whole).collect())
    }

    /// The domain of the first device's block of the columns, or of the first `2^log_eval` points if these are more, and log2 of its points;
    /// `None` if what they read of the columns is not lifted to them as the columns are.
    fn first_rows(
        &self,
        request: &Constraints<'_, Self>,
        log_eval: u32,
    ) -> Option<(<<O::T as Types>::P as Protocol>::Domain, u32)> {
        let log_height = request.domain.log_size();
        let log_first = log_height.saturating_sub(self.log_count()).max(log_eval);
        let first = request.domain.prefix(log_first)?;
        self.are_lifts(request.columns, log_height, log_first).then_some((first, log_first))
    }

    /// Whether what `2^log_rows` rows of `2^log_height` read of the tables is lifted to them as the tables are.
    fn are_lifts(&self, columns: &[TableRef<'_, Self>], log_height: u32, log_rows: u32) -> bool {
        columns.iter().all(|table| self.log_share(log_height - table.log_height, log_rows).is_some())
    }

    /// On one device, from the columns that it has.
    fn evaluated_on(
        &self,
        device: usize,
        request: &Constraints<'_, Self>,
        parts: &[Part<'_, O::T>],
        (domain, log_eval): (<<O::T as Types>::P as Protocol>::Domain, u32),
    ) -> Result<Table<O::T>> {
        let Constraints { program, log_trace, params, combination, .. } = *request;
        let program = program.on(device);
        let columns = &refs(parts);
        self.one(device, |on| {
            on.constraint_eval(&[Constraints { program, columns, domain, log_trace, log_eval, params, combination }])
        })
    }
}
