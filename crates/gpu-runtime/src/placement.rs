//! Moves of tables and trees between devices and to the host.

use gpu_hal::stash::{Stash, StoredRequest};
use gpu_hal::{Basis, HalError, Opened, Operation, Placement, PlacementOperations, Result, Shape, Uploaded};

use crate::backend::GpuBackend;
use crate::buffer::{GpuBuffer, GpuTree, NewTable, Table};
use crate::call::Call;
use crate::device::KernelDevice;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;
use crate::{columns, openings_stored, shared_lde, shared_upload, tree};

impl<D: KernelDevice, P: GpuProtocol> PlacementOperations<GpuTypes<D, P>> for GpuBackend<D, P> {
    fn placement(&self) -> Placement {
        Placement {
            stashes_trees: true,
            opens_stored: true,
            shares_lde: shared_lde::is_shared,
            shares_uploads: shared_upload::is_shared,
        }
    }

    fn copy_to(&self, table: Table<'_, D>, peer: &Self) -> Result<NewTable<D>> {
        let call = self.call(Operation::CopyTo);
        // The peer gives memory only: the call is counted where it is made.
        columns::copy_to(call, table, Call { runtime: &peer.runtime, op: call.op })
    }

    /// The words of a table as they are on the device. They come back to a device of the same kind.
    fn stash(&self, table: Table<'_, D>) -> Result<Stash> {
        columns::stash(self.call(Operation::Download), table)
    }

    fn restore(&self, stash: &Stash, shape: Shape) -> Result<NewTable<D>> {
        columns::restore(self.call(Operation::Upload), stash.get()?, shape)
    }

    fn stash_tree(&self, tree: &GpuTree<D::Memory>) -> Result<Stash> {
        tree::stash(self.call(Operation::Download), tree)
    }

    fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<GpuTree<D::Memory>> {
        tree::restore(self.call(Operation::Upload), stash.get()?, log_leaves)
    }

    fn open_stored(&self, requests: &[StoredRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<Opened<P::Base>>> {
        let call = self.call(Operation::Open);
        requests.iter().map(|request| openings_stored::open(call, request)).collect()
    }

    fn lde_shared(
        &self,
        others: &[&Self],
        tables: &[Table<'_, D>],
        from: Basis<P::Domain>,
        to: &[P::Domain],
    ) -> Result<Vec<NewTable<D>>, (usize, HalError)> {
        let devices = std::iter::once(self).chain(others.iter().copied());
        let calls: Vec<_> = devices.map(|on| on.call(Operation::Lde)).collect();
        shared_lde::lde_shared(&calls, tables, from, to)
    }

    fn upload_lde_shared(
        &self,
        others: &[&Self],
        columns: (&[&[P::Base]], u32),
        from: Basis<P::Domain>,
        to: &[P::Domain],
        keep: usize,
    ) -> Result<Vec<Uploaded<GpuBuffer<D::Memory>>>, (usize, HalError)> {
        let devices = std::iter::once(self).chain(others.iter().copied());
        let calls: Vec<_> = devices.map(|on| on.call(Operation::UploadLde)).collect();
        let uploaded = shared_upload::upload_lde_shared(&calls, columns, from, to)?.into_iter().enumerate();
        Ok(uploaded.map(|(device, (rows, extended))| ((device < keep).then_some(rows), extended)).collect())
    }
}
