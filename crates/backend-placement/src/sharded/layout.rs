//! Where a table is.

use std::fmt;
use std::sync::Arc;

use gpu_hal::rehearsal::Prepared;
use gpu_hal::{Columns, ConstraintProgram, DeviceBuffer, DeviceProgram, Domain, DomainOf, Operations, Table, Types};

/// A table of a [`crate::Sharded`], whose devices have the types `T`: whole on the first device, whole on each, or a
/// block of its rows on each.
pub struct ShardedBuffer<T: Types> {
    pub(crate) layout: Layout<T::Buffer>,
    /// The table that the blocks are evaluations of, if it is known.
    pub(crate) extension: Option<Extension<T>>,
}

/// The ways in which tables are held.
#[derive(Debug)]
pub(crate) enum Layout<B> {
    /// All of it, on the first device.
    Whole(B),
    /// All of it, on every device: each has made it for itself, so that nothing crosses.
    Everywhere(Vec<B>),
    /// All of it on the first device: values at first points of the first block of a domain. Each of the others has the
    /// values of the same polynomials at as many first points of its own block, so that an extension takes nothing of
    /// the first's.
    Alike(Vec<B>),
    /// The rows `b << log_block ..` of every column on device `b`, for every device.
    Blocks(Vec<B>),
}

/// A table's columns are the evaluations on a domain of polynomials with `2^log_degree` coefficients, so that any block
/// of as many points says the same of them.
pub(crate) struct Extension<T: Types> {
    pub(crate) on: DomainOf<T>,
    pub(crate) log_degree: u32,
}

impl<T: Types<Buffer: fmt::Debug>> fmt::Debug for ShardedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ShardedBuffer").field(&self.layout).finish()
    }
}

impl<T: Types> ShardedBuffer<T> {
    /// Whether it is in blocks.
    pub(crate) fn is_split(&self) -> bool {
        matches!(self.layout, Layout::Blocks(_))
    }

    /// Whether every device has all of it.
    pub(crate) fn is_everywhere(&self) -> bool {
        matches!(self.layout, Layout::Everywhere(_))
    }

    /// A table that is whole.
    pub(crate) fn whole(table: Table<T>) -> Columns<Self> {
        table.map(|buffer| Self { layout: Layout::Whole(buffer), extension: None })
    }

    /// A table that every device has made for itself, or the first alone.
    pub(crate) fn made(tables: Vec<Table<T>>) -> Columns<Self> {
        Self::several(tables, Layout::Everywhere)
    }

    /// A table of which each device has its part for an extension, or the first alone.
    pub(crate) fn alike(tables: Vec<Table<T>>) -> Columns<Self> {
        Self::several(tables, Layout::Alike)
    }

    fn several(tables: Vec<Table<T>>, layout: impl FnOnce(Vec<T::Buffer>) -> Layout<T::Buffer>) -> Columns<Self> {
        let (width, log_height) = (tables[0].width, tables[0].log_height);
        let mut buffers: Vec<T::Buffer> = tables.into_iter().map(|table| table.data).collect();
        let layout = if buffers.len() == 1 { Layout::Whole(buffers.remove(0)) } else { layout(buffers) };
        Columns::new(Self { layout, extension: None }, width, log_height)
    }

    /// A table of `2^log_height` rows in blocks.
    pub(crate) fn blocks(blocks: Vec<Table<T>>, log_height: u32) -> Columns<Self> {
        let width = blocks.first().map_or(0, |block| block.width);
        let blocks = blocks.into_iter().map(|block| block.data).collect();
        Columns::new(Self { layout: Layout::Blocks(blocks), extension: None }, width, log_height)
    }

    /// The blocks of an extension of columns of `2^log_degree` elements.
    pub(crate) fn extended(blocks: Vec<Table<T>>, on: DomainOf<T>, log_degree: u32) -> Columns<Self> {
        let mut table = Self::blocks(blocks, on.log_size());
        table.data.extension = Some(Extension { on, log_degree });
        table
    }
}

impl<T: Types> DeviceBuffer for ShardedBuffer<T> {
    fn len(&self) -> usize {
        match &self.layout {
            Layout::Whole(buffer) => buffer.len(),
            Layout::Everywhere(buffers) | Layout::Alike(buffers) => buffers[0].len(),
            Layout::Blocks(blocks) => blocks.iter().map(DeviceBuffer::len).sum(),
        }
    }
}

/// A program of a [`crate::Sharded`], prepared for each of its devices.
pub struct ShardedProgram<O: Operations>(pub(crate) Vec<Arc<Prepared<O::T>>>);

impl<O: Operations> ShardedProgram<O> {
    /// The program of a device.
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
