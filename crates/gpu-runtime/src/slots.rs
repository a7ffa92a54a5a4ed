//! Tables in the few buffers that kernels of several tables take (`slots.h` of a protocol).

use std::cmp::Reverse;

use gpu_hal::{Protocol, Result, Shape};

use crate::buffer::Table;
use crate::call::{Call, whole};
use crate::device::{Argument, KernelDevice};
use crate::elements::{per_word, words};
use crate::pool::Block;

/// Tables assigned to slots. If there are slots for all they have one each; if not, the largest have, and the others
/// are copied into the last.
pub(crate) struct Slots<'a, D: KernelDevice> {
    own: Vec<&'a Block<D::Memory>>,
    packed: Option<Block<D::Memory>>,
    /// The table behind the last of `count` slots.
    written: Option<&'a Block<D::Memory>>,
    /// Slot and first element of every table.
    places: Vec<(u64, u64)>,
    count: usize,
}

/// Words of the buffer that tables of these shapes are copied into, if they are more than `slots`.
pub(crate) fn packed_words<P: Protocol>(tables: &[Shape], slots: usize) -> Option<u64> {
    let mut words: Vec<u64> = tables.iter().map(|table| words::<P>(table.elements() as u64)).collect();
    words.sort_unstable_by_key(|words| Reverse(*words));
    (tables.len() > slots).then(|| words[slots - 1..].iter().sum())
}

impl<'a, D: KernelDevice> Slots<'a, D> {
    pub(crate) fn new<P: Protocol>(call: Call<'_, D, P>, tables: &[Table<'a, D>]) -> Result<Self> {
        Self::largest_first(call, tables, call.runtime.units.slots)
    }

    /// The first have a slot each, if not all can.
    pub(crate) fn in_order<P: Protocol>(call: Call<'_, D, P>, tables: &[Table<'a, D>]) -> Result<Self> {
        Self::assigned(call, tables, (0..tables.len()).collect(), call.runtime.units.slots)
    }

    /// With one more table, the last, whose elements change: it has the last slot for itself.
    pub(crate) fn with_written<P: Protocol>(
        call: Call<'_, D, P>,
        tables: &[Table<'a, D>],
        written: Option<Table<'a, D>>,
    ) -> Result<Self> {
        let Some(written) = written else { return Self::new(call, tables) };
        let last = call.runtime.units.slots - 1;
        let mut slots = Self::largest_first(call, tables, last)?;
        slots.written = Some(&written.data.block);
        slots.places.push((last as u64, 0));
        Ok(slots)
    }

    fn largest_first<P: Protocol>(call: Call<'_, D, P>, tables: &[Table<'a, D>], count: usize) -> Result<Self> {
        let mut order: Vec<usize> = (0..tables.len()).collect();
        if tables.len() > count {
            order.sort_by_key(|&table| Reverse(tables[table].elements()));
        }
        Self::assigned(call, tables, order, count)
    }

    /// In the first `count` slots, the ones that come first in `order`, with one each.
    fn assigned<P: Protocol>(
        call: Call<'_, D, P>,
        tables: &[Table<'a, D>],
        order: Vec<usize>,
        count: usize,
    ) -> Result<Self> {
        let alone = if tables.len() > count { count - 1 } else { tables.len() };
        let mut slots =
            Self { own: Vec::new(), packed: None, written: None, places: vec![(0, 0); tables.len()], count };
        for (slot, &table) in order[..alone].iter().enumerate() {
            slots.own.push(&tables[table].data.block);
            slots.places[table] = (slot as u64, 0);
        }
        let rest = &order[alone..];
        if !rest.is_empty() {
            // Whole words: a copy of an odd number of small elements takes one more, which every block has room for.
            let words = |table: usize| words::<P>(tables[table].elements() as u64);
            let packed = call.alloc(rest.iter().map(|&table| words(table)).sum())?;
            let mut start = 0;
            for &table in rest {
                call.copy((&tables[table].data.block, 0), (&packed, start), words(table))?;
                slots.places[table] = (alone as u64, start * per_word::<P>());
                start += words(table);
            }
            slots.packed = Some(packed);
        }
        Ok(slots)
    }

    /// The word by which kernels know a column that starts at element `start` of a table.
    pub(crate) fn column(&self, table: usize, start: u64) -> u64 {
        let (slot, first) = self.places[table];
        slot << 60 | (first + start)
    }

    /// The slot of every table.
    pub(crate) fn of_tables(&self) -> Vec<u64> {
        self.places.iter().map(|(slot, _)| *slot).collect()
    }

    /// The buffers; `other`, which is not read, stands for missing tables.
    pub(crate) fn arguments<'s>(&'s self, other: &'s Block<D::Memory>) -> Vec<Argument<'s, D::Memory>> {
        let blocks = self.own.iter().copied().chain(&self.packed).chain(std::iter::repeat(other));
        blocks.take(self.count).chain(self.written).map(whole).collect()
    }
}
