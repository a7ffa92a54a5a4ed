//! Where a table is.

use std::sync::Arc;

use gpu_hal::{Columns, ConstraintProgram, DeviceBuffer, DeviceProgram, Operations, Prepared, Table, Types};

/// A table of a [`crate::Sharded`]: whole on the first device, or a block of its rows on each.
#[derive(Debug)]
pub struct ShardedBuffer<B>(pub(crate) Layout<B>);

/// The ways in which tables are held.
#[derive(Debug)]
pub(crate) enum Layout<B> {
    /// All of it, on the first device.
    Whole(B),
    /// Of every column the rows `b << log_block ..` on device `b`, for every device.
    Blocks(Vec<B>),
}

impl<B> ShardedBuffer<B> {
    /// Whether it is in blocks.
    pub(crate) fn is_split(&self) -> bool {
        matches!(self.0, Layout::Blocks(_))
    }

    /// A table that is whole.
    pub(crate) fn whole(table: Columns<B>) -> Columns<Self> {
        table.map(|buffer| Self(Layout::Whole(buffer)))
    }

    /// A table of `2^log_height` rows in blocks.
    pub(crate) fn blocks(blocks: Vec<Columns<B>>, log_height: u32) -> Columns<Self> {
        let width = blocks.first().map_or(0, |block| block.width);
        let blocks = blocks.into_iter().map(|block| block.data).collect();
        Columns::new(Self(Layout::Blocks(blocks)), width, log_height)
    }
}

impl<B: DeviceBuffer> DeviceBuffer for ShardedBuffer<B> {
    fn len(&self) -> usize {
        match &self.0 {
            Layout::Whole(buffer) => buffer.len(),
            Layout::Blocks(blocks) => blocks.iter().map(DeviceBuffer::len).sum(),
        }
    }
}

/// A program of a [`crate::Sharded`], prepared for each of its devices.
pub struct ShardedProgram<O: Operations>(pub(crate) Vec<Arc<Prepared<O>>>);

impl<O: Operations> ShardedProgram<O> {
    /// That of a device.
    pub(crate) fn on(&self, device: usize) -> &<O::T as Types>::Program {
        &self.0[device].program
    }
}

impl<O: Operations> DeviceProgram<<O::T as Types>::P> for ShardedProgram<O> {
    fn program(&self) -> &ConstraintProgram<<O::T as Types>::P> {
        &self.0[0].source
    }
}

/// Rows of a table on one device: where they are already, or a copy that was made.
pub(crate) enum Part<'a, T: Types> {
    Here(Columns<&'a T::Buffer>),
    Made(Table<T>),
}

impl<T: Types> Part<'_, T> {
    /// The copy, if it is one.
    pub(crate) fn made(self) -> Option<Table<T>> {
        match self {
            Self::Here(_) => None,
            Self::Made(table) => Some(table),
        }
    }

    pub(crate) fn as_ref(&self) -> Columns<&T::Buffer> {
        match self {
            Self::Here(table) => *table,
            Self::Made(table) => table.as_ref(),
        }
    }
}

/// All of them, borrowed.
pub(crate) fn refs<'p, T: Types>(parts: &'p [Part<'_, T>]) -> Vec<Columns<&'p T::Buffer>> {
    parts.iter().map(Part::as_ref).collect()
}
