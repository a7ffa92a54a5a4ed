//! The operations that make traces: on every device for itself, as [`super::everywhere`] says, or on the first.

use gpu_hal::{BaseOf, LinearRecurrence, MapArgs, Operations, Result, Table, TableRef, TreeMapArgs};

use crate::{Sharded, ShardedBuffer};

impl<O: Operations> Sharded<O> {
    /// Makes a table of `2^log_height` rows, from others if there are any.
    fn made_of(
        &self,
        tables: &[TableRef<'_, Self>],
        log_height: u32,
        run: impl Fn(usize, &O, &[TableRef<'_, O::T>]) -> Result<Table<O::T>> + Sync,
    ) -> Result<Table<Self>> {
        let made = match tables {
            [] => self.first(self.makers(log_height), |device| self.on(device, |on| run(device, on, &[]))),
            _ => self.in_full(tables, run),
        };
        made.map(ShardedBuffer::made)
    }

    /// [`Operations::recurrence`].
    pub(crate) fn recurrence_of(&self, recurrence: &LinearRecurrence<BaseOf<Self>>) -> Result<Table<Self>> {
        self.made_of(&[], recurrence.log_height, |_, on, _| on.recurrence(recurrence))
    }

    /// [`Operations::map`].
    pub(crate) fn mapped(&self, args: &MapArgs<'_, Self>) -> Result<Table<Self>> {
        let &MapArgs { program, log_height, outputs, .. } = args;
        self.made_of(args.columns, log_height, |device, on, columns| {
            on.map(&MapArgs { program: program.on(device), columns, log_height, outputs })
        })
    }

    /// [`Operations::tree_map`].
    pub(crate) fn tree_mapped(&self, args: &TreeMapArgs<'_, Self>) -> Result<Table<Self>> {
        let &TreeMapArgs { leaf, node, log_height, width, .. } = args;
        self.made_of(args.columns, log_height, |device, on, columns| {
            on.tree_map(&TreeMapArgs { leaf: leaf.on(device), node: node.on(device), columns, log_height, width })
        })
    }
}
