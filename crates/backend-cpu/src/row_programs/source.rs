//! Where the source entries of a block of rows are.

use field::PrimeField;
use gpu_hal::Columns;

use crate::memory::CpuBuffer;

use super::words::LANES;

/// The parts of a source.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, F> {
    pub(super) parts: &'a [Columns<&'a CpuBuffer<F>>],
    /// Values of an entry.
    pub(super) inputs: usize,
    /// Entries of all parts.
    pub(super) entries: usize,
    pub(super) period: usize,
}

/// The entries of a block: for each row the part, and where value 0 is in it.
pub(super) enum Entries {
    /// One after the other, from here on.
    Run(usize, usize),
    /// Anywhere.
    Each(Box<[(usize, usize); LANES]>),
}

impl<F: PrimeField> Source<'_, F> {
    fn locate(&self, row: usize) -> (usize, usize) {
        let mut entry = if row < self.entries { row } else { row % self.period.max(1) };
        for (number, part) in self.parts.iter().enumerate() {
            let entries = (part.width / self.inputs) << part.log_height;
            if entry < entries {
                let (site, row) = (entry >> part.log_height, entry & (part.height() - 1));
                return (number, ((self.inputs * site) << part.log_height) + row);
            }
            entry -= entries;
        }
        unreachable!("the check has seen that there are as many entries")
    }

    /// The entries of `rows` rows from `first` on; lanes behind them have the entry of the last one.
    pub(super) fn entries(&self, first: usize, rows: usize) -> Option<Entries> {
        if self.inputs == 0 {
            return None;
        }
        let (start, end) = (self.locate(first), self.locate(first + rows - 1));
        // Sites are further apart than rows, unless a site has one row.
        let is_run = first + rows <= self.entries && rows == LANES && start.0 == end.0 && end.1 - start.1 == rows - 1;
        if is_run && self.parts[start.0].height() >= LANES {
            return Some(Entries::Run(start.0, start.1));
        }
        let mut each = Box::new([(0, 0); LANES]);
        for (lane, entry) in each.iter_mut().enumerate() {
            *entry = self.locate(first + lane.min(rows - 1));
        }
        Some(Entries::Each(each))
    }

    /// Value `k` of every entry: `of` gets the lane and the element.
    #[inline(always)]
    pub(super) fn values(&self, entries: &Entries, k: u32, mut of: impl FnMut(usize, F)) {
        match entries {
            Entries::Run(part, offset) => {
                let part = &self.parts[*part];
                let values = &part.data.values()[offset + ((k as usize) << part.log_height)..][..LANES];
                values.iter().enumerate().for_each(|(lane, value)| of(lane, *value));
            }
            Entries::Each(each) => {
                for (lane, (part, offset)) in each.iter().enumerate() {
                    let part = &self.parts[*part];
                    of(lane, part.data.values()[offset + ((k as usize) << part.log_height)]);
                }
            }
        }
    }
}
