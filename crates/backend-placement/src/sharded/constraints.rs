//! Constraints: a device has part of the points on which they are wanted, or else some of the requests.

use std::cmp::Reverse;

use gpu_hal::op::ConstraintEval;
use gpu_hal::{Constraints, DeviceProgram, Domain, DomainOf, ErrorKind, HalError, Operations, Result, Table, TableRef};

use super::layout::Part;
use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// [`Operations::constraint_eval`]: each request cut in parts, if it can be; the others are dealt out to the
    /// devices.
    pub(crate) fn evaluated(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        // A device that has all tables has all requests at once.
        if !requests.iter().any(is_split) {
            return self.by_first::<ConstraintEval>(requests);
        }
        let mut made = requests.iter().map(|request| self.evaluated_in_parts(request)).collect::<Result<Vec<_>>>()?;
        let whole = (0..requests.len()).filter(|number| made[*number].is_none()).collect();
        let dealt = self.dealt_whole(requests, whole);
        // One request of each device at a time: so a device has the columns of one besides its own.
        for round in 0..dealt.iter().map(Vec::len).max().unwrap_or(0) {
            let asked: Vec<Option<usize>> = dealt.iter().map(|numbers| numbers.get(round).copied()).collect();
            let busy = 1 + asked.iter().rposition(Option::is_some).unwrap_or(0);
            let results = self.brought(
                busy,
                |device| asked[device].map_or(Ok(Vec::new()), |number| self.all_columns(&requests[number], device)),
                |device, on, columns| {
                    let evaluate = |number: usize| {
                        let request: &Constraints<'_, Self> = &requests[number];
                        let domain = self.first_rows(request).map_or(request.domain, |(first, _)| first);
                        let request = readdressed(request, device, columns, (domain, request.log_eval));
                        only_result(on.constraint_eval(&[request])?)
                    };
                    asked[device].map(evaluate).transpose()
                },
            )?;
            for (device, values) in results.into_iter().enumerate() {
                if let (Some(number), Some(values)) = (asked[device], values) {
                    made[number] = Some(ShardedBuffer::whole(self.on_first(values, device)?));
                }
            }
        }
        let all: Option<Vec<_>> = made.into_iter().collect();
        all.ok_or_else(|| HalError::new(ErrorKind::Backend, "sharded", "a request that no device has"))
    }

    /// The result is `2^p` points of a prefix. Device `b` takes part `b` of these, of as many parts as there are
    /// devices or, where a part would not be closed under the steps of the trace, of the most that are, and is brought
    /// the rows of the columns there: they are its own if all points are wanted. Where they are not, and cross slower
    /// than they are read, only devices that have the first points take part. `None` where all points are one such
    /// part.
    fn evaluated_in_parts(&self, request: &Constraints<'_, Self>) -> Result<Option<Table<Self>>> {
        let (domain, log_eval, columns) = (request.domain, request.log_eval, request.columns);
        // On a coset as many points as the trace has rows are closed under its steps; on a circle it takes more. Where
        // no step is taken, parts may be half of that, on which the vanishing polynomial of the rows has one value.
        let takes_steps = request.program.program().offsets() != (0, 0);
        let log_closed = request.log_trace + u32::from(DomainOf::<O::T>::LIFTS && takes_steps);
        let mut log_parts = self.log_parts(log_eval, log_closed);
        if !self.are_parts() && !is_worth_crossing(request) {
            log_parts = log_parts.min((log_eval + self.log_count()).saturating_sub(domain.log_size()));
        }
        let log_part = log_eval - log_parts;
        let parts = domain.prefix(log_eval).and_then(|prefix| self.parts_of(&prefix, log_parts));
        let is_cut = is_split(request) && log_parts > 0 && self.are_lifts(columns, domain.log_size(), log_part);
        let Some(on) = parts.filter(|_| is_cut) else { return Ok(None) };
        let first = self.first_rows_of(request, log_part);
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
        self.gathered(values, log_eval).map(Some)
    }

    /// The numbers of the requests of each device, the longest first. Each goes to the device that has least to do up
    /// to then, the first of these: of the devices that have rows which it reads, so that none is brought more than the
    /// first would be.
    fn dealt_whole(&self, requests: &[Constraints<'_, Self>], mut numbers: Vec<usize>) -> Vec<Vec<usize>> {
        let work = |number: usize| {
            let request = &requests[number];
            (request.program.program().nodes().len() as u64) << request.log_eval
        };
        numbers.sort_by_key(|number| Reverse(work(*number)));
        let mut dealt: Vec<Vec<usize>> = self.numbers().map(|_| Vec::new()).collect();
        let mut loads = vec![0; self.count()];
        for number in numbers {
            let device = (0..self.owners(&requests[number])).min_by_key(|device| loads[*device]).unwrap_or(0);
            loads[device] += work(number);
            dealt[device].push(number);
        }
        dealt
    }

    /// How many devices have rows that a request reads: the first ones. Parts of one device count as one.
    fn owners(&self, request: &Constraints<'_, Self>) -> usize {
        if !is_split(request) || self.capabilities().at_once == 1 {
            return 1;
        }
        self.reals().min(1 << request.log_eval.saturating_sub(request.domain.log_size() - self.log_count()))
    }

    /// The columns of a request at all its points, on a device. The first block serves as it is, if it has all points;
    /// other rows are not read.
    fn all_columns<'a>(&self, request: &Constraints<'a, Self>, device: usize) -> Result<Vec<Part<'a, O::T>>> {
        let (columns, log_size) = (request.columns, request.domain.log_size());
        match self.first_rows(request) {
            Some((_, log_first)) => self.shares(columns, device, (0, log_first), log_size),
            None => columns.iter().map(|table| self.rows(*table, device, 0, table.log_height)).collect(),
        }
    }

    /// [`Self::first_rows_of`] all points of a request; `None` as well if its tables are whole.
    fn first_rows(&self, request: &Constraints<'_, Self>) -> Option<(DomainOf<O::T>, u32)> {
        self.first_rows_of(request, request.log_eval).filter(|_| is_split(request))
    }

    /// The domain of the first device's block of the columns, or of the first `2^log_eval` points if these are more,
    /// and log2 of its points; `None` if their part of the columns is not lifted to them as the columns are.
    fn first_rows_of(&self, request: &Constraints<'_, Self>, log_eval: u32) -> Option<(DomainOf<O::T>, u32)> {
        let log_height = request.domain.log_size();
        let log_first = log_height.saturating_sub(self.log_count()).max(log_eval);
        let first = request.domain.prefix(log_first)?;
        self.are_lifts(request.columns, log_height, log_first).then_some((first, log_first))
    }

    /// Whether the reads of `2^log_rows` rows of `2^log_height` are lifted to them as the tables are.
    fn are_lifts(&self, columns: &[TableRef<'_, Self>], log_height: u32, log_rows: u32) -> bool {
        columns.iter().all(|table| self.log_share(log_height - table.log_height, log_rows).is_some())
    }
}

/// Operations on a row for each of its elements from which a device computes longer than the element takes to it from
/// another device. An H200 takes 16 ps for an element of M31 over NVLink, and 0.5 ps for an operation.
const WORTH_CROSSING: u64 = 32;

/// Whether a request takes longer to compute than its rows take to another device.
fn is_worth_crossing<O: Operations>(request: &Constraints<'_, Sharded<O>>) -> bool {
    let elements: usize = request.columns.iter().map(|table| table.width).sum();
    request.program.program().operations() >= WORTH_CROSSING * elements as u64
}

/// Whether a table that a request reads is in blocks.
fn is_split<O: Operations>(request: &Constraints<'_, Sharded<O>>) -> bool {
    request.columns.iter().any(|table| table.data.is_split())
}

/// A request for one device, of the columns that it has, at the first `2^log_eval` points of their domain.
fn readdressed<'a, O: Operations>(
    request: &Constraints<'a, Sharded<O>>,
    device: usize,
    columns: &'a [TableRef<'a, O::T>],
    (domain, log_eval): (DomainOf<O::T>, u32),
) -> Constraints<'a, O::T> {
    let &Constraints { program, params, combination, .. } = request;
    // No step is taken on a part that is not closed under the trace's steps.
    let log_trace = request.log_trace.min(log_eval - u32::from(DomainOf::<O::T>::LIFTS));
    Constraints { program: program.on(device), columns, domain, log_trace, log_eval, params, combination }
}

/// The only result that a device gives for one request.
fn only_result<R>(mut results: Vec<R>) -> Result<R> {
    let one = results.pop().filter(|_| results.is_empty());
    one.ok_or_else(|| HalError::new(ErrorKind::Backend, "sharded", "no single result for one request"))
}
