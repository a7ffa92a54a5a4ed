//! Memory of the toy: a heap of its own. The host holds handles, never elements; a handle frees its block when it is dropped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use field::Goldilocks;
use gpu_hal::{Columns, DeviceBuffer, DeviceTree, Digest, ErrorKind, HalError, MemoryInfo, Operation, Result};

/// The heap. One lock is the in-order queue: whoever holds it runs an operation.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Arc<Mutex<Heap>>);

#[derive(Debug, Default)]
pub(crate) struct Heap {
    blocks: HashMap<u64, Block>,
    capacity: u64,
    in_use: u64,
    peak: u64,
}

/// What the toy's memory holds.
#[derive(Debug)]
pub(crate) enum Block {
    /// A table.
    Elements(Vec<Goldilocks>),
    /// A tree: root at 0, children of node `v` at `2v + 1` and `2v + 2`.
    Nodes(Vec<Digest>),
}

impl Block {
    fn bytes(&self) -> u64 {
        match self {
            Self::Elements(elements) => size_of_val(&elements[..]) as u64,
            Self::Nodes(nodes) => size_of_val(&nodes[..]) as u64,
        }
    }
}

/// Numbers are never used twice, not even by two devices, so a handle of another device finds nothing.
static NEXT: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
struct Handle {
    number: u64,
    memory: Memory,
}

impl Drop for Handle {
    fn drop(&mut self) {
        let heap = &mut *self.memory.lock();
        if let Some(block) = heap.blocks.remove(&self.number) {
            heap.in_use -= block.bytes();
        }
    }
}

/// A table on the toy.
#[derive(Debug)]
pub(crate) struct Buffer {
    handle: Handle,
    len: usize,
}

impl DeviceBuffer for Buffer {
    fn len(&self) -> usize {
        self.len
    }
}

/// A tree on the toy.
#[derive(Debug)]
pub(crate) struct Tree {
    handle: Handle,
    log_leaves: u32,
}

impl DeviceTree for Tree {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

impl Memory {
    pub(crate) fn new(capacity: u64) -> Self {
        Self(Arc::new(Mutex::new(Heap { capacity, ..Heap::default() })))
    }

    /// Waits for the queue. A kernel never leaves the heap half changed, so a panic elsewhere does not spoil it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Heap> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a kernel that makes a table. Nothing is left behind if it fails.
    pub(crate) fn table(
        &self,
        op: Operation,
        width: usize,
        log_height: u32,
        kernel: impl FnOnce(&Heap, &mut [Goldilocks]) -> Result<()>,
    ) -> Result<Columns<Buffer>> {
        let len = width << log_height;
        let mut heap = self.lock();
        let mut elements = heap.allocate(op, len)?;
        kernel(&heap, &mut elements)?;
        let handle = Handle { number: heap.keep(Block::Elements(elements)), memory: self.clone() };
        Ok(Columns::new(Buffer { handle, len }, width, log_height))
    }

    /// Runs a kernel that makes a tree.
    pub(crate) fn tree(
        &self,
        op: Operation,
        log_leaves: u32,
        kernel: impl FnOnce(&Heap, &mut [Digest]) -> Result<()>,
    ) -> Result<Tree> {
        let mut heap = self.lock();
        let mut nodes = heap.allocate(op, (2 << log_leaves) - 1)?;
        kernel(&heap, &mut nodes)?;
        Ok(Tree { handle: Handle { number: heap.keep(Block::Nodes(nodes)), memory: self.clone() }, log_leaves })
    }
}

impl Heap {
    pub(crate) fn info(&self) -> MemoryInfo {
        MemoryInfo { available: Some(self.capacity - self.in_use), in_use: self.in_use, peak: self.peak }
    }

    /// Zeros, if they fit.
    fn allocate<T: bytemuck::Zeroable>(&self, op: Operation, len: usize) -> Result<Vec<T>> {
        let (bytes, free) = (len.saturating_mul(size_of::<T>()) as u64, self.capacity - self.in_use);
        if bytes > free {
            let detail = format!("{bytes} bytes wanted, {free} of {} free: prove fewer rows", self.capacity);
            return Err(HalError::new(ErrorKind::OutOfMemory, op.name(), detail));
        }
        Ok((0..len).map(|_| T::zeroed()).collect())
    }

    fn keep(&mut self, block: Block) -> u64 {
        self.in_use += block.bytes();
        self.peak = self.peak.max(self.in_use);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.blocks.insert(number, block);
        number
    }

    /// The elements of a table.
    pub(crate) fn elements(&self, op: Operation, table: &Columns<&Buffer>) -> Result<&[Goldilocks]> {
        match self.blocks.get(&table.data.handle.number) {
            Some(Block::Elements(elements)) => Ok(elements),
            _ => Err(HalError::invalid(op.name(), "the table is on another device: download and upload it")),
        }
    }

    /// The same, for writing.
    pub(crate) fn elements_mut(&mut self, op: Operation, table: &Buffer) -> Result<&mut [Goldilocks]> {
        match self.blocks.get_mut(&table.handle.number) {
            Some(Block::Elements(elements)) => Ok(elements),
            _ => Err(HalError::invalid(op.name(), "the table is on another device: download and upload it")),
        }
    }

    /// The nodes of a tree.
    pub(crate) fn nodes(&self, op: Operation, tree: &Tree) -> Result<&[Digest]> {
        match self.blocks.get(&tree.handle.number) {
            Some(Block::Nodes(nodes)) => Ok(nodes),
            _ => Err(HalError::invalid(op.name(), "the tree is on another device: build it here")),
        }
    }
}
