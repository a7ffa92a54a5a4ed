//! Constraints: a device has part of the points on which they are wanted.

use gpu_hal::{
    Constraints, Domain, DomainOf, ErrorKind, HalError, Operations, Protocol, Result, Table, TableRef, Types,
};

use crate::layout::refs;
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// One request of [`Operations::constraint_eval`].
    ///
    /// Wanted are `2^p` points of a prefix. Device `b` takes part `b` of these, of as many parts as there are devices or, where a part would
    /// not be closed under the steps of the trace, of the most that are, and is brought the rows of the columns there: they are its own if
    /// all points are wanted. Where all points are one such part, the first device takes them.
    pub(crate) fn evaluated(&self, request: &Constraints<'_, Self>) -> Result<Table<Self>> {
        let (domain, log_eval, columns) = (request.domain, request.log_eval, request.columns);
        let is_split = columns.iter().any(|table| table.data.is_split());
        // On a coset as many points as the trace has rows are closed under its steps; on a circle it takes more.
        let log_closed = request.log_trace + u32::from(<O::T as Types>::P::LIFTS);
        let log_parts = self.log_parts(log_eval, log_closed);
        let log_part = log_eval - log_parts;
        let parts = domain.prefix(log_eval).and_then(|prefix| self.parts_of(&prefix, log_parts));
        if let Some(on) = parts
            && is_split
            && log_parts > 0
            && self.are_lifts(columns, domain.log_size(), log_part)
        {
            let first = self.first_rows(request, log_part);
            // The first device's part is where its blocks begin, which serve as they are.
            let of_device = |device: usize| first.filter(|_| device == 0).unwrap_or((on[device], log_part));
            let values = self.brought(
                on.len(),
                |device| self.shares(columns, device, (device << log_part, of_device(device).1), domain.log_size()),
                |device, backend, columns| {
                    let request = readdressed(request, device, columns, (of_device(device).0, log_part));
                    only_result(backend.constraint_eval(&[request])?)
                },
            )?;
            return self.gathered(values, log_eval);
        }
        // The first block serves as it is, if it has all points; other rows are not read.
        let first = self.first_rows(request, log_eval);
        let (parts, domain) = match first.filter(|_| is_split) {
            Some((first, log_first)) => (self.shares(columns, 0, (0, log_first), domain.log_size())?, first),
            None => (self.wholes(columns)?, domain),
        };
        let columns = &refs(&parts);
        let request = readdressed(request, 0, columns, (domain, log_eval));
        self.on(0, |on| only_result(on.constraint_eval(&[request])?)).map(ShardedBuffer::whole)
    }

    /// Requests whose tables are whole.
    pub(crate) fn evaluated_by_first(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        let tables = requests.iter().map(|request| self.wholes(request.columns)).collect::<Result<Vec<_>>>()?;
        let tables: Vec<_> = tables.iter().map(|tables| refs(tables)).collect();
        let mut on_first: Vec<Constraints<'_, O::T>> = Vec::with_capacity(requests.len());
        for (request, columns) in requests.iter().zip(&tables) {
            on_first.push(readdressed(request, 0, columns, (request.domain, request.log_eval)));
        }
        let made = self.on(0, |on| on.constraint_eval(&on_first))?;
        Ok(made.into_iter().map(ShardedBuffer::whole).collect())
    }

    /// The domain of the first device's block of the columns, or of the first `2^log_eval` points if these are more, and log2 of its points;
    /// `None` if what they read of the columns is not lifted to them as the columns are.
    fn first_rows(&self, request: &Constraints<'_, Self>, log_eval: u32) -> Option<(DomainOf<O::T>, u32)> {
        let log_height = request.domain.log_size();
        let log_first = log_height.saturating_sub(self.log_count()).max(log_eval);
        let first = request.domain.prefix(log_first)?;
        self.are_lifts(request.columns, log_height, log_first).then_some((first, log_first))
    }

    /// Whether what `2^log_rows` rows of `2^log_height` read of the tables is lifted to them as the tables are.
    fn are_lifts(&self, columns: &[TableRef<'_, Self>], log_height: u32, log_rows: u32) -> bool {
        columns.iter().all(|table| self.log_share(log_height - table.log_height, log_rows).is_some())
    }
}

/// A request for one device, of the columns that it has, at the first `2^log_eval` points of their domain.
fn readdressed<'a, O: Operations>(
    request: &Constraints<'a, Sharded<O>>,
    device: usize,
    columns: &'a [TableRef<'a, O::T>],
    (domain, log_eval): (DomainOf<O::T>, u32),
) -> Constraints<'a, O::T> {
    let &Constraints { program, log_trace, params, combination, .. } = request;
    Constraints { program: program.on(device), columns, domain, log_trace, log_eval, params, combination }
}

/// The only result that a device gives for one request.
fn only_result<R>(mut results: Vec<R>) -> Result<R> {
    let one = results.pop().filter(|_| results.is_empty());
    one.ok_or_else(|| HalError::new(ErrorKind::Backend, "sharded", "no single result for one request"))
}
