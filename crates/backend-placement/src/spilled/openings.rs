//! Openings of tables and trees in the host's memory: nothing is brought back for a few rows.

use gpu_hal::stash::{Stored, StoredRequest};
use gpu_hal::{
    BaseOf, Columns, DeviceTree, Footprint, OpenRequest, OpenSizes, Opened, Operation, Operations, Result, TableRef,
    Types, shapes,
};

use super::session::Needs;
use crate::Spilled;

/// A table, wherever it is.
type StoredTable<'a, O> = Columns<Stored<'a, <<O as Operations>::T as Types>::Buffer>>;

/// The tables, if all of them are on the device.
fn on_device<'a, O: Operations>(tables: &[StoredTable<'a, O>]) -> Option<Vec<TableRef<'a, O::T>>> {
    let table = |table: &StoredTable<'a, O>| match table.data {
        Stored::OnDevice(buffer) => Some(Columns::new(buffer, table.width, table.log_height)),
        Stored::OnHost(_) => None,
    };
    tables.iter().map(table).collect()
}

impl<O: Operations> Spilled<O> {
    fn needs_opening(needs: &mut Needs<'_, O>, requests: &[OpenRequest<'_, Self>]) {
        for request in requests {
            request.columns.iter().for_each(|table| needs.knows(&table.data.handle));
            needs.knows(&request.tree.handle);
            let (rows, leaves, log_leaves) = (request.rows.len(), request.leaves.len(), request.tree.log_leaves());
            let tables = &shapes(request.columns);
            needs.meanwhile(&Footprint::OpenStored { rows, leaves, tables, log_leaves });
        }
        needs.meanwhile(&OpenSizes::of(requests).footprint());
    }

    /// [`Operations::open`] of tables and trees where they are, all requests at once if the memory is enough, or one
    /// after the other.
    pub(crate) fn opened_where_it_is(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<Self>>>> {
        let memory = &self.memory;
        if requests.len() > 1 && !memory.fits(&Self::takes(memory, |needs| Self::needs_opening(needs, requests))) {
            let each = requests.chunks(1).map(|request| self.opened_at_once(request));
            return Ok(each.collect::<Result<Vec<_>>>()?.concat());
        }
        self.opened_at_once(requests)
    }

    /// Opens the ones on the device all at once, then the others.
    fn opened_at_once(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<Self>>>> {
        let on = self.begin(Operation::Open, |needs| Self::needs_opening(needs, requests))?;
        let mut tables: Vec<Vec<StoredTable<'_, O>>> = Vec::with_capacity(requests.len());
        for request in requests {
            let columns = request.columns.iter().map(|table| on.stored_table(*table));
            tables.push(columns.collect::<Result<_>>()?);
        }
        let mut here = Vec::new();
        let mut others: Vec<(usize, StoredRequest<'_, O::T>)> = Vec::new();
        for (number, (request, columns)) in requests.iter().zip(&tables).enumerate() {
            let (tree, log_leaves) = (on.stored_tree(request.tree)?, request.tree.log_leaves());
            match (on_device::<O>(columns), tree) {
                (Some(columns), Stored::OnDevice(tree)) => here.push((number, columns, tree)),
                _ => {
                    let (rows, leaves) = (request.rows, request.leaves);
                    others.push((number, StoredRequest { columns, tree, log_leaves, rows, leaves }));
                }
            }
        }
        let mut opened: Vec<Option<Opened<BaseOf<Self>>>> = requests.iter().map(|_| None).collect();
        let mut inner: Vec<OpenRequest<'_, O::T>> = Vec::with_capacity(here.len());
        for (number, columns, tree) in &here {
            let OpenRequest { rows, leaves, .. } = requests[*number];
            inner.push(OpenRequest { columns, tree, rows, leaves });
        }
        let (of_here, (of_others, others)): (Vec<usize>, (Vec<usize>, Vec<_>)) =
            (here.iter().map(|(number, ..)| *number).collect(), others.into_iter().unzip());
        for (numbers, results) in [
            (of_here, if inner.is_empty() { Vec::new() } else { self.inner().open(&inner)? }),
            (of_others, if others.is_empty() { Vec::new() } else { self.inner().open_stored(&others)? }),
        ] {
            numbers.into_iter().zip(results).for_each(|(number, result)| opened[number] = Some(result));
        }
        Ok(opened.into_iter().flatten().collect())
    }
}
