//! Values that the backend hands out: tables and trees on the device.

use gpu_hal::{Columns, DeviceBuffer, DeviceTree, HalError, HashFn, Operation, Protocol, Result};

use crate::call::Call;
use crate::device::KernelDevice;
use crate::pool::Block;

/// Columns on the device.
pub struct GpuBuffer<M> {
    pub(crate) block: Block<M>,
    len: usize,
}

impl<M: Send + Sync + 'static> DeviceBuffer for GpuBuffer<M> {
    fn len(&self) -> usize {
        self.len
    }
}

/// A Merkle tree on the device without its lowest levels: of its `2 * 2^log_leaves - 1` digests of four words, numbered
/// from the root, the first `2 * 2^(log_leaves - dropped) - 1`. The children of node `v` are `2v + 1` and `2v + 2`.
pub struct GpuTree<M> {
    pub(crate) nodes: Block<M>,
    pub(crate) form: TreeForm,
}

/// The form of a tree, wherever its nodes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeForm {
    pub(crate) log_leaves: u32,
    /// Levels that are not kept, the leaves first.
    pub(crate) dropped: u32,
    /// The source of the dropped digests: rows of a leaf, columns, hash function.
    pub(crate) rows_per_leaf: u32,
    pub(crate) width: usize,
    pub(crate) hash: HashFn,
    /// [`gpu_hal::Leaves::has_wide_leaves`].
    pub(crate) has_wide_leaves: bool,
}

impl TreeForm {
    /// Log2 of the rows of the leaves.
    pub(crate) fn log_rows(&self) -> u32 {
        self.log_leaves + self.rows_per_leaf.ilog2()
    }
}

impl<M: Send + Sync + 'static> DeviceTree for GpuTree<M> {
    fn log_leaves(&self) -> u32 {
        self.form.log_leaves
    }
}

pub(crate) type Table<'a, D> = Columns<&'a GpuBuffer<<D as KernelDevice>::Memory>>;
pub(crate) type NewTable<D> = Columns<GpuBuffer<<D as KernelDevice>::Memory>>;

/// Number of elements of a shape.
pub(crate) fn elements(op: Operation, width: usize, log_height: u32) -> Result<usize> {
    1usize
        .checked_shl(log_height)
        .and_then(|height| height.checked_mul(width))
        .filter(|elements| elements.checked_mul(8).is_some())
        .ok_or_else(|| {
            let detail = format!("{width} columns of 2^{log_height} rows exceed any memory");
            HalError::new(gpu_hal::ErrorKind::OutOfMemory, op, detail)
        })
}

/// An uninitialised table.
pub(crate) fn new_table<D: KernelDevice, P: Protocol>(
    call: Call<'_, D, P>,
    width: usize,
    log_height: u32,
) -> Result<NewTable<D>> {
    let len = elements(call.op, width, log_height)?;
    let block = call.alloc_elements(len as u64)?;
    Ok(Columns::new(GpuBuffer { block, len }, width, log_height))
}
