//! Tables in the four buffers that kernels of several tables take (`kernels/slots.h`).

use gpu_hal::{Result, Shape};

use crate::buffer::Table;
use crate::call::{Call, whole};
use crate::device::{Argument, KernelDevice};
use crate::pool::Block;

/// Buffers for tables.
const SLOTS: usize = 4;

/// Tables assigned to slots. Up to four have one each; of more, the three largest, and the others are copied into one buffer.
pub(crate) struct Slots<'a, D: KernelDevice> {
    own: Vec<&'a Block<D::Memory>>,
    packed: Option<Block<D::Memory>>,
    /// Slot and first element of every table.
    places: Vec<(u64, u64)>,
}

/// Elements of the buffer that tables of these shapes are copied into, if they are.
pub(crate) fn packed_elements(tables: &[Shape]) -> Option<u64> {
    let mut elements: Vec<u64> = tables.iter().map(|table| table.elements() as u64).collect();
    elements.sort_unstable_by_key(|elements| std::cmp::Reverse(*elements));
    (tables.len() > SLOTS).then(|| elements[SLOTS - 1..].iter().sum())
}

impl<'a, D: KernelDevice> Slots<'a, D> {
    pub(crate) fn new(call: Call<'_, D>, tables: &[Table<'a, D>]) -> Result<Self> {
        let mut order: Vec<usize> = (0..tables.len()).collect();
        if tables.len() > SLOTS {
            order.sort_by_key(|&table| std::cmp::Reverse(tables[table].elements()));
        }
        let alone = if tables.len() > SLOTS { SLOTS - 1 } else { tables.len() };
        let mut slots = Self { own: Vec::new(), packed: None, places: vec![(0, 0); tables.len()] };
        for (slot, &table) in order[..alone].iter().enumerate() {
            slots.own.push(&tables[table].data.block);
            slots.places[table] = (slot as u64, 0);
        }
        let rest = &order[alone..];
        if !rest.is_empty() {
            let total: usize = rest.iter().map(|&table| tables[table].elements()).sum();
            let packed = call.alloc(total as u64)?;
            let mut start = 0;
            for &table in rest {
                let count = tables[table].elements() as u64;
                call.copy((&tables[table].data.block, 0), (&packed, start), count)?;
                slots.places[table] = (alone as u64, start);
                start += count;
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

    /// The four buffers; those that no table has are `other`, which is not read.
    pub(crate) fn arguments<'s>(&'s self, other: &'s Block<D::Memory>) -> Vec<Argument<'s, D::Memory>> {
        let blocks = self.own.iter().copied().chain(&self.packed).chain(std::iter::repeat(other));
        blocks.take(SLOTS).map(whole).collect()
    }
}
