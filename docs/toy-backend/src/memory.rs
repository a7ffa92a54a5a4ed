//! Memory of the toy: a heap of its own. The host holds handles, never elements; a handle frees its block when it is
//! dropped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use field::Field;
use gpu_hal::{Columns, DeviceBuffer, DeviceTree, Digest, ErrorKind, HalError, MemoryInfo, Result};

/// A table as kernels see it.
pub(crate) type View<'h, F> = Columns<&'h [F]>;

/// The heap. One lock is the in-order queue: its holder runs an operation.
#[derive(Debug)]
pub(crate) struct Memory<F>(Arc<Mutex<Heap<F>>>);

#[derive(Debug)]
pub(crate) struct Heap<F> {
    blocks: HashMap<u64, Block<F>>,
    capacity: u64,
    in_use: u64,
    peak: u64,
}

/// The content of a block.
#[derive(Debug)]
enum Block<F> {
    /// A table.
    Elements(Vec<F>),
    /// A tree: root at 0, children of node `v` at `2v + 1` and `2v + 2`.
    Nodes(Vec<Digest>),
}

impl<F> Block<F> {
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
struct Handle<F> {
    number: u64,
    memory: Memory<F>,
}

impl<F> Drop for Handle<F> {
    fn drop(&mut self) {
        let heap = &mut *self.memory.lock();
        if let Some(block) = heap.blocks.remove(&self.number) {
            heap.in_use -= block.bytes();
        }
    }
}

/// A table on the toy.
#[derive(Debug)]
pub struct Buffer<F> {
    handle: Handle<F>,
    len: usize,
}

impl<F: Field> DeviceBuffer for Buffer<F> {
    fn len(&self) -> usize {
        self.len
    }
}

/// A tree on the toy.
#[derive(Debug)]
pub struct Tree<F> {
    handle: Handle<F>,
    log_leaves: u32,
}

impl<F: Field> DeviceTree for Tree<F> {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

impl<F> Memory<F> {
    pub(crate) fn new(capacity: u64) -> Self {
        Self(Arc::new(Mutex::new(Heap { blocks: HashMap::new(), capacity, in_use: 0, peak: 0 })))
    }

    /// Waits for the queue. A kernel never leaves the heap half changed, so a panic elsewhere does not spoil it.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Heap<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Field> Memory<F> {
    /// Runs a kernel that makes a table. Nothing is left behind if it fails.
    pub(crate) fn table(
        &self,
        width: usize,
        log_height: u32,
        kernel: impl FnOnce(&Heap<F>, &mut [F]) -> Result<()>,
    ) -> Result<Columns<Buffer<F>>> {
        let len = width << log_height;
        let mut heap = self.lock();
        let mut elements = heap.allocate(len, F::ZERO)?;
        kernel(&heap, &mut elements)?;
        let handle = Handle { number: heap.keep(Block::Elements(elements)), memory: Self(self.0.clone()) };
        Ok(Columns::new(Buffer { handle, len }, width, log_height))
    }

    /// Runs a kernel that makes a tree.
    pub(crate) fn tree(
        &self,
        log_leaves: u32,
        kernel: impl FnOnce(&Heap<F>, &mut [Digest]) -> Result<()>,
    ) -> Result<Tree<F>> {
        let mut heap = self.lock();
        let mut nodes = heap.allocate((2 << log_leaves) - 1, [0; 32])?;
        kernel(&heap, &mut nodes)?;
        Ok(Tree { handle: Handle { number: heap.keep(Block::Nodes(nodes)), memory: Self(self.0.clone()) }, log_leaves })
    }
}

/// The front puts the name of the operation in the place of this one.
const NAME: &str = "toy";

impl<F> Heap<F> {
    pub(crate) fn info(&self) -> MemoryInfo {
        MemoryInfo {
            available: Some(self.capacity - self.in_use),
            in_use: self.in_use,
            peak: self.peak,
            is_host: false,
            moved: None,
        }
    }

    /// `len` times `value`, if they fit.
    fn allocate<T: Clone>(&self, len: usize, value: T) -> Result<Vec<T>> {
        let (bytes, free) = (len.saturating_mul(size_of::<T>()) as u64, self.capacity - self.in_use);
        if bytes > free {
            let detail = format!("{bytes} bytes wanted, {free} of {} free: prove fewer rows", self.capacity);
            return Err(HalError::new(ErrorKind::OutOfMemory, NAME, detail));
        }
        Ok(vec![value; len])
    }

    fn keep(&mut self, block: Block<F>) -> u64 {
        self.in_use += block.bytes();
        self.peak = self.peak.max(self.in_use);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.blocks.insert(number, block);
        number
    }

    /// The elements of a table.
    pub(crate) fn view(&self, table: &Columns<&Buffer<F>>) -> Result<View<'_, F>> {
        match self.blocks.get(&table.data.handle.number) {
            Some(Block::Elements(elements)) => Ok(table.map(|_| &elements[..])),
            _ => Err(HalError::invalid(NAME, "the table is on another device: copy it with copy_to")),
        }
    }

    /// The elements of several tables.
    pub(crate) fn views(&self, tables: &[Columns<&Buffer<F>>]) -> Result<Vec<View<'_, F>>> {
        tables.iter().map(|table| self.view(table)).collect()
    }

    /// The elements of a table, for writing.
    pub(crate) fn elements_mut(&mut self, table: &Columns<&mut Buffer<F>>) -> Result<&mut [F]> {
        match self.blocks.get_mut(&table.data.handle.number) {
            Some(Block::Elements(elements)) => Ok(elements),
            _ => Err(HalError::invalid(NAME, "the table is on another device: copy it with copy_to")),
        }
    }

    /// The nodes of a tree.
    pub(crate) fn nodes(&self, tree: &Tree<F>) -> Result<&[Digest]> {
        match self.blocks.get(&tree.handle.number) {
            Some(Block::Nodes(nodes)) => Ok(nodes),
            _ => Err(HalError::invalid(NAME, "the tree is on another device: build it here")),
        }
    }
}
