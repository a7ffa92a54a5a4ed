//! The lists of a row program in the few buffers that its kernel writes.

use gpu_hal::{Protocol, Result, RowProgram};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, whole};
use crate::device::{Argument, KernelDevice};
use crate::elements::{per_word, words};
use crate::pool::Block;

/// Buffers for lists (`LISTS` in the kernel).
const LISTS: usize = 4;

/// The tables of lists. If there are buffers for all they have one each; if not, the last ones are made in one and
/// copied.
pub(super) struct Lists<D: KernelDevice> {
    tables: Vec<NewTable<D>>,
    packed: Option<Block<D::Memory>>,
    /// Buffer and first element of every list, as kernels know a column.
    pub(super) columns: Vec<u64>,
}

/// How many lists have a buffer of their own.
fn alone(lists: usize) -> usize {
    if lists > LISTS { LISTS - 1 } else { lists }
}

/// Words of every list.
fn list_words<P: Protocol>(program: &RowProgram<P::Base>, log_height: u32) -> impl Iterator<Item = u64> {
    program.lists().iter().map(move |list| words::<P>((list.columns() as u64) << log_height))
}

/// Words of the buffer that lists are made in, if they are more than buffers.
pub(super) fn packed_words<P: Protocol>(program: &RowProgram<P::Base>, log_height: u32) -> Option<u64> {
    let count = program.lists().len();
    (count > LISTS).then(|| list_words::<P>(program, log_height).skip(alone(count)).sum())
}

impl<D: KernelDevice> Lists<D> {
    pub(super) fn new<P: Protocol>(
        call: Call<'_, D, P>,
        program: &RowProgram<P::Base>,
        log_height: u32,
    ) -> Result<Self> {
        let lists = program.lists();
        let tables =
            lists.iter().map(|list| new_table(call, list.columns(), log_height)).collect::<Result<Vec<_>>>()?;
        let alone = alone(lists.len());
        let mut columns: Vec<u64> = (0..alone as u64).map(|slot| slot << 60).collect();
        let mut start = 0;
        for words in list_words::<P>(program, log_height).skip(alone) {
            columns.push((alone as u64) << 60 | (start * per_word::<P>()));
            start += words;
        }
        let packed = packed_words::<P>(program, log_height).map(|words| call.alloc(words)).transpose()?;
        Ok(Self { tables, packed, columns })
    }

    /// The buffers; `other`, which is not written, stands for missing lists.
    pub(super) fn arguments<'s>(
        &'s self,
        other: &'s Block<D::Memory>,
    ) -> impl Iterator<Item = Argument<'s, D::Memory>> {
        let own = self.tables[..alone(self.tables.len())].iter().map(|table| &table.data.block);
        own.chain(&self.packed).chain(std::iter::repeat(other)).take(LISTS).map(whole)
    }

    /// The tables, once they are written.
    pub(super) fn finish<P: Protocol>(self, call: Call<'_, D, P>) -> Result<Vec<NewTable<D>>> {
        if let Some(packed) = &self.packed {
            let mut start = 0;
            for table in &self.tables[alone(self.tables.len())..] {
                let words = words::<P>(table.elements() as u64);
                call.copy((packed, start), (&table.data.block, 0), words)?;
                start += words;
            }
        }
        Ok(self.tables)
    }
}
