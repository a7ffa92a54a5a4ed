//! Row programs: every device runs them for itself where it takes all of their rows anyway, so that what they make of
//! tables that cross once, which are much smaller, does not cross.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gpu_hal::op::Rows;
use gpu_hal::{Columns, DeferredFault, ErrorKind, HalError, Operations, Result, RowRun, RowsOutput, Table, Types};

use super::layout::Layout;
use crate::{Sharded, ShardedBuffer};

/// The verdicts of all devices, each on the runs of its own.
struct Verdicts(Vec<Mutex<DeferredFault>>);

/// No change of a verdict, or of counters, stops halfway but by an error, after which they mean nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A counter on a device.
type CounterOf<'c, O> = Columns<&'c mut <<O as Operations>::T as Types>::Buffer>;

impl<O: Operations> Sharded<O> {
    /// [`Operations::rows`], or with a verdict [`Operations::rows_ahead`]. Counters that one device counts for itself,
    /// all do from then on.
    pub(crate) fn ran(
        &self,
        args: &RowRun<'_, Self>,
        counters: &mut [Columns<&mut ShardedBuffer<O::T>>],
        verdict: Option<&mut DeferredFault>,
    ) -> Result<RowsOutput<Self>> {
        let verdicts = match verdict {
            None => None,
            Some(verdict) => {
                if verdict.get::<Verdicts>().is_none() {
                    verdict.keep(Verdicts(self.numbers().map(|_| Mutex::default()).collect()));
                }
                Some(&verdict.get::<Verdicts>().ok_or_else(lost)?.0)
            }
        };
        let read = args.source.iter().chain(args.tables);
        let is_everywhere = self.makers(args.log_height) > 1
            || read.clone().any(|table| table.data.is_everywhere())
            || counters.iter().any(|counter| counter.data.is_everywhere());
        if !is_everywhere {
            let mut verdict = verdicts.map(|verdicts| lock(&verdicts[0]));
            let counters = counters.iter_mut().map(Columns::reborrow).collect();
            return self.by_first::<Rows>((args, counters, verdict.as_deref_mut()));
        }
        let mut counted: Vec<Vec<CounterOf<'_, O>>> = self.numbers().map(|_| Vec::new()).collect();
        for counter in counters {
            let (width, log_height) = (counter.width, counter.log_height);
            for (counted, buffer) in counted.iter_mut().zip(self.spread(counter.reborrow())?) {
                counted.push(Columns::new(buffer, width, log_height));
            }
        }
        let counted: Vec<Mutex<Vec<CounterOf<'_, O>>>> = counted.into_iter().map(Mutex::new).collect();
        let made = self.brought(
            self.count(),
            |device| read.clone().map(|table| self.rows(*table, device, 0, table.log_height)).collect(),
            |device, on, parts| {
                let &RowRun { program, source, period, log_height, .. } = args;
                let (source, tables) = parts.split_at(source.len());
                let run = RowRun { program, source, period, tables, log_height };
                let mut counters = lock(&counted[device]);
                match verdicts {
                    None => on.rows(&run, &mut counters),
                    Some(verdicts) => on.rows_ahead(&run, &mut counters, &mut lock(&verdicts[device])),
                }
            },
        )?;
        let mut columns = Vec::with_capacity(made.len());
        let mut lists: Vec<Vec<Table<O::T>>> = args.program.lists().iter().map(|_| Vec::new()).collect();
        for RowsOutput { lists: of_device, columns: own } in made {
            columns.push(own);
            lists.iter_mut().zip(of_device).for_each(|(list, own)| list.push(own));
        }
        let lists = lists.into_iter().map(ShardedBuffer::made).collect();
        Ok(RowsOutput { lists, columns: ShardedBuffer::made(columns) })
    }

    /// [`Operations::had_fault`]: of any device.
    pub(crate) fn had_any_fault(&self, verdict: &DeferredFault) -> Result<bool> {
        let Some(Verdicts(verdicts)) = verdict.get() else { return Ok(false) };
        let had = self.each(|device| self.on(device, |on| on.had_fault(&lock(&verdicts[device]))))?;
        Ok(had.contains(&true))
    }

    /// A table on every device from here on: the first one's crosses to the others.
    pub(crate) fn spread<'a>(
        &self,
        mut table: Columns<&'a mut ShardedBuffer<O::T>>,
    ) -> Result<&'a mut [<O::T as Types>::Buffer]> {
        if !table.data.is_everywhere() {
            let whole = self.whole_mut(table.reborrow())?;
            let copies = (1..self.count()).map(|device| self.copy(whole.as_shared(), 0, device));
            let copies = copies.collect::<Result<Vec<_>>>()?;
            if let Layout::Whole(first) = std::mem::replace(&mut table.data.layout, Layout::Everywhere(Vec::new())) {
                let all = std::iter::once(first).chain(copies.into_iter().map(|copy| copy.data));
                table.data.layout = Layout::Everywhere(all.collect());
            }
        }
        match &mut table.data.layout {
            Layout::Everywhere(buffers) => Ok(buffers),
            _ => Err(HalError::new(ErrorKind::Backend, "sharded", "a table that is not on every device")),
        }
    }
}

fn lost() -> HalError {
    HalError::new(ErrorKind::Backend, "sharded", "the verdict does not keep what it was given")
}
