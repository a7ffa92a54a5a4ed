//! Operations that the first device does, on whole tables.

use std::collections::BTreeMap;

use gpu_hal::op::{Handles, Op, Out, OutOf, Reads, Wrap};
use gpu_hal::{Columns, ErrorKind, HalError, Operations, Result, Table, TableRef, Types};

use super::layout::Layout;
use crate::{Sharded, ShardedBuffer, ShardedProgram, ShardedTree};

type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

impl<O: Operations> Sharded<O> {
    /// An operation on the first device: tables in blocks are joined there first.
    pub(crate) fn by_first<P: Op>(&self, mut args: P::Args<'_, Self>) -> Result<OutOf<P, Self>> {
        P::changes(&mut args, &mut |table| self.whole_mut(table.reborrow()).map(drop))?;
        let mut whole = WholeTables { sharded: self, joined: BTreeMap::new(), error: None };
        P::reads(&args, &mut whole);
        if let Some(error) = whole.error {
            return Err(error);
        }
        let made = self.on(0, |on| P::through(&mut args, on, &whole))?;
        P::Out::map(made, &mut OnFirst)
    }
}

/// Tables in one piece on the first device: tables that are so already, and copies of the others, by the addresses of
/// their buffers.
struct WholeTables<'s, O: Operations> {
    sharded: &'s Sharded<O>,
    joined: BTreeMap<*const ShardedBuffer<O::T>, Table<O::T>>,
    error: Option<HalError>,
}

impl<O: Operations> Reads<Sharded<O>> for WholeTables<'_, O> {
    fn table(&mut self, table: &TableRef<'_, Sharded<O>>) {
        if !table.data.is_split() || self.error.is_some() {
            return;
        }
        match self.sharded.whole(*table) {
            Ok(part) => self.joined.extend(part.made().map(|whole| (std::ptr::from_ref(table.data), whole))),
            Err(error) => self.error = Some(error),
        }
    }
}

impl<O: Operations> Handles<Sharded<O>, O::T> for WholeTables<'_, O> {
    fn table<'h>(&'h self, table: TableRef<'h, Sharded<O>>) -> Result<TableRef<'h, O::T>> {
        let joined = self.joined.get(&std::ptr::from_ref(table.data));
        Ok(joined.map_or_else(|| self.sharded.block(table, 0), Table::<O::T>::as_ref))
    }

    fn table_mut<'h>(
        &'h self,
        table: Columns<&'h mut ShardedBuffer<O::T>>,
    ) -> Result<Columns<&'h mut <O::T as Types>::Buffer>> {
        match &mut table.data.layout {
            Layout::Whole(buffer) => Ok(Columns::new(buffer, table.width, table.log_height)),
            _ => Err(HalError::new(ErrorKind::Backend, "sharded", "a table that is changed was not joined")),
        }
    }

    fn tree<'h>(&'h self, tree: &'h ShardedTree<TreeOf<O>>) -> Result<&'h TreeOf<O>> {
        tree.only().ok_or_else(|| HalError::new(ErrorKind::Backend, "sharded", "a tree in parts on one device"))
    }

    fn program<'h>(&'h self, program: &'h ShardedProgram<O>) -> Result<&'h <O::T as Types>::Program> {
        Ok(program.on(0))
    }
}

/// Results of the first device.
struct OnFirst;

impl<O: Operations> Wrap<O::T, Sharded<O>> for OnFirst {
    fn table(&mut self, table: Table<O::T>) -> Result<Table<Sharded<O>>> {
        Ok(ShardedBuffer::whole(table))
    }

    fn tree(&mut self, tree: TreeOf<O>) -> Result<ShardedTree<TreeOf<O>>> {
        Ok(ShardedTree::whole(tree))
    }
}
