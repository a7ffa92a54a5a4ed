//! Memory of the CPU backends: buffers, trees, and the count of their bytes.
//!
//! A [`Reservation`] is taken before the bytes it stands for are allocated and given back when their owner is dropped,
//! so the count is exact at every moment and a failed operation leaves nothing behind.

mod storage;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use field::Field;
use gpu_hal::stash::{Stash, check_size};
use gpu_hal::{
    Budget, Bytes, Columns, DeviceBuffer, DeviceTree, Digest, ErrorKind, HalError, HashFn, MemoryInfo, Operation,
    Result,
};
use rayon::prelude::*;
use storage::Spares;
pub(crate) use storage::Storage;

use crate::host::host_memory;

/// Elements that a task fills.
const PIECE: usize = 1 << 15;

/// The memory of one backend. Clones share the counters.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    in_use: AtomicU64,
    peak: AtomicU64,
    limit: Option<u64>,
    budget: Budget,
    spares: Arc<Spares>,
}

impl Memory {
    /// Memory that refuses to hold more than `limit` bytes.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self(Arc::new(Counters {
            in_use: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            limit,
            // All that have no limit of their own share the host.
            budget: if limit.is_some() { Budget::default() } else { Budget::of_device("host") },
            spares: Arc::default(),
        }))
    }

    /// The promises on it.
    pub(crate) fn budget(&self) -> &Budget {
        &self.0.budget
    }

    /// Gives memory that is held for tables to come back to the system.
    pub(crate) fn release(&self) {
        self.0.spares.release();
    }

    /// The counters. `available` is the rest of the limit, if there is one, or of the host's memory, with memory that
    /// is held for tables to come, whichever is less.
    pub(crate) fn info(&self) -> MemoryInfo {
        let in_use = self.0.in_use.load(Ordering::SeqCst);
        let limit = self.0.limit.map(|limit| limit.saturating_sub(in_use));
        let host = host_memory().map(|available| available.saturating_add(self.0.spares.held()));
        MemoryInfo {
            available: limit.into_iter().chain(host).min(),
            in_use,
            peak: self.0.peak.load(Ordering::SeqCst),
            is_host: true,
            moved: None,
        }
    }

    /// A table for an operation that writes all of it: the earlier content of its cells is unspecified.
    pub(crate) fn columns<F: Field>(
        &self,
        op: Operation,
        width: usize,
        log_height: u32,
    ) -> Result<Columns<CpuBuffer<F>>> {
        let elements = 1usize
            .checked_shl(log_height)
            .and_then(|height| height.checked_mul(width))
            .ok_or_else(|| out_of_memory(op, format!("{width} columns of 2^{log_height} rows exceed any memory")))?;
        let (values, reservation) = self.unwritten(op, elements)?;
        Ok(Columns::new(CpuBuffer { values, _reservation: reservation }, width, log_height))
    }

    /// A table of zeros.
    pub(crate) fn zeros<F: Field>(
        &self,
        op: Operation,
        width: usize,
        log_height: u32,
    ) -> Result<Columns<CpuBuffer<F>>> {
        let mut table = self.columns(op, width, log_height)?;
        table.data.values_mut().par_chunks_mut(PIECE).for_each(|piece| piece.fill(F::ZERO));
        Ok(table)
    }

    /// A tree of `2^log_leaves` leaves, kept without its lowest `dropped` levels; all of its nodes are to be written.
    pub(crate) fn tree(&self, op: Operation, log_leaves: u32, dropped: u32) -> Result<CpuTree> {
        let nodes = 2usize
            .checked_shl(log_leaves - dropped)
            .filter(|nodes| *nodes > 0)
            .ok_or_else(|| out_of_memory(op, format!("a tree of 2^{log_leaves} leaves exceeds any memory")))?;
        let (nodes, reservation) = self.unwritten(op, nodes - 1)?;
        Ok(CpuTree { nodes, log_leaves, dropped, origin: None, _reservation: reservation })
    }

    /// The tree that was stashed.
    pub(crate) fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<CpuTree> {
        let stashed: &StashedTree = stash.get()?;
        let mut tree = self.tree(Operation::Upload, log_leaves, stashed.dropped)?;
        check_size(stashed.nodes.len(), tree.nodes().len())?;
        tree.nodes_mut().copy_from_slice(&stashed.nodes);
        tree.origin = stashed.origin;
        Ok(tree)
    }

    /// Elements for an operation that writes all of them and drops them before it ends. They are not counted.
    pub(crate) fn scratch<T: Pod>(&self, op: Operation, len: usize) -> Result<Storage<T>> {
        Storage::unwritten(len, &self.0.spares).ok_or_else(|| {
            out_of_memory(
                op,
                format!("the system has no room for {}: use a smaller statement", Bytes((len * size_of::<T>()) as u64)),
            )
        })
    }

    fn unwritten<T: Pod>(&self, op: Operation, len: usize) -> Result<(Storage<T>, Reservation)> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .and_then(|bytes| u64::try_from(bytes).ok())
            .ok_or_else(|| out_of_memory(op, format!("{len} elements exceed any memory")))?;
        let reservation = self.reserve(op, bytes)?;
        Ok((self.scratch(op, len)?, reservation))
    }

    fn reserve(&self, op: Operation, bytes: u64) -> Result<Reservation> {
        let limit = self.0.limit.unwrap_or(u64::MAX);
        let grow = |in_use: u64| in_use.checked_add(bytes).filter(|sum| *sum <= limit);
        match self.0.in_use.fetch_update(Ordering::SeqCst, Ordering::SeqCst, grow) {
            Ok(before) => {
                self.0.peak.fetch_max(before + bytes, Ordering::SeqCst);
                Ok(Reservation { memory: self.clone(), bytes })
            }
            Err(in_use) => Err(out_of_memory(
                op,
                format!(
                    "{} wanted, {} of {} in use: raise the limit or use a smaller statement",
                    Bytes(bytes),
                    Bytes(in_use),
                    Bytes(limit)
                ),
            )),
        }
    }
}

fn out_of_memory(op: Operation, detail: String) -> HalError {
    HalError::new(ErrorKind::OutOfMemory, op, detail)
}

/// Bytes that count as used until this is dropped.
#[derive(Debug)]
struct Reservation {
    memory: Memory,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.0.in_use.fetch_sub(self.bytes, Ordering::SeqCst);
    }
}

/// A buffer of the CPU backends: elements in host memory, counted while they live.
#[derive(Debug)]
pub struct CpuBuffer<F> {
    values: Storage<F>,
    _reservation: Reservation,
}

impl<F: Field> CpuBuffer<F> {
    /// All elements, column after column.
    pub(crate) fn values(&self) -> &[F] {
        self.values.as_slice()
    }

    /// All elements, column after column.
    pub(crate) fn values_mut(&mut self) -> &mut [F] {
        self.values.as_mut_slice()
    }
}

impl<F: Field> DeviceBuffer for CpuBuffer<F> {
    fn len(&self) -> usize {
        self.values().len()
    }
}

/// A Merkle tree of the CPU backends without its lowest `dropped` levels, one flat array: the root at 0, the children
/// of node `v` at `2v + 1` and `2v + 2`. The lowest of `L` nodes that are kept start at `L - 1`; with no level dropped
/// they are the leaves.
#[derive(Debug)]
pub struct CpuTree {
    nodes: Storage<Digest>,
    log_leaves: u32,
    dropped: u32,
    pub(crate) origin: Option<Origin>,
    _reservation: Reservation,
}

/// The source from which the dropped digests of a tree are made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) hash: HashFn,
    pub(crate) leaves: gpu_hal::Leaves,
    pub(crate) has_wide_leaves: bool,
    /// Columns of all tables together.
    pub(crate) width: usize,
}

/// A copy of a tree that is not counted.
struct StashedTree {
    nodes: Vec<Digest>,
    dropped: u32,
    origin: Option<Origin>,
}

impl CpuTree {
    /// A copy that is not counted.
    pub(crate) fn stash(&self) -> Stash {
        let &Self { dropped, origin, .. } = self;
        Stash::new(StashedTree { nodes: self.nodes().to_vec(), dropped, origin }, size_of_val(self.nodes()))
    }

    /// The nodes that are kept.
    pub(crate) fn nodes(&self) -> &[Digest] {
        self.nodes.as_slice()
    }

    /// The nodes that are kept.
    pub(crate) fn nodes_mut(&mut self) -> &mut [Digest] {
        self.nodes.as_mut_slice()
    }

    /// Levels that are not kept, the leaves first.
    pub(crate) fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The siblings of a leaf's ancestors from the lowest level that is kept upward, root excluded.
    pub(crate) fn path(&self, leaf: usize) -> Vec<Digest> {
        let mut node = (1 << (self.log_leaves - self.dropped)) - 1 + (leaf >> self.dropped);
        let mut path = Vec::with_capacity(self.log_leaves as usize);
        while node > 0 {
            // Left children have odd numbers.
            path.push(self.nodes()[if node % 2 == 1 { node + 1 } else { node - 1 }]);
            node = (node - 1) / 2;
        }
        path
    }
}

impl DeviceTree for CpuTree {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}
