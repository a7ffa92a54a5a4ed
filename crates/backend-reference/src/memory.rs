//! Buffers and trees in host memory, and the count of their bytes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use field::Field;
use gpu_hal::stash::{Stash, check_size};
use gpu_hal::{
    Budget, Bytes, Columns, DeviceBuffer, DeviceTree, Digest, ErrorKind, HalError, MemoryInfo, Operation, Result,
};

/// The memory of one backend. Clones share the count.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    limit: Option<u64>,
    used: Arc<Mutex<Used>>,
    budget: Budget,
}

/// Bytes.
#[derive(Debug, Default)]
struct Used {
    now: u64,
    peak: u64,
}

impl Memory {
    /// Memory that refuses to hold more than `limit` bytes.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self { limit, used: Arc::default(), budget: Budget::default() }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // No change of the count can panic halfway.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The promises on it.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The count. `available` is known only under a limit.
    pub(crate) fn info(&self) -> MemoryInfo {
        let used = self.used();
        let available = self.limit.map(|limit| limit.saturating_sub(used.now));
        MemoryInfo { available, in_use: used.now, peak: used.peak, is_host: true, moved: None }
    }

    /// A table of zeros.
    pub(crate) fn columns<F: Field>(
        &self,
        op: Operation,
        width: usize,
        log_height: u32,
    ) -> Result<Columns<ReferenceBuffer<F>>> {
        let elements = 1_usize.checked_shl(log_height).and_then(|height| height.checked_mul(width));
        let (values, counted) = self.filled(op, elements, F::ZERO)?;
        Ok(Columns::new(ReferenceBuffer { values, _counted: counted }, width, log_height))
    }

    /// A tree of `2^log_leaves` leaves whose nodes are all zero bytes.
    pub(crate) fn tree(&self, op: Operation, log_leaves: u32) -> Result<ReferenceTree> {
        let nodes = 2_usize.checked_shl(log_leaves).and_then(|twice| twice.checked_sub(1));
        let (nodes, counted) = self.filled(op, nodes, [0; 32])?;
        Ok(ReferenceTree { nodes, log_leaves, _counted: counted })
    }

    /// The tree that was stashed.
    pub(crate) fn restore_tree(&self, stash: &Stash, log_leaves: u32) -> Result<ReferenceTree> {
        let nodes: &Vec<Digest> = stash.get()?;
        let mut tree = self.tree(Operation::Upload, log_leaves)?;
        check_size(nodes.len(), tree.nodes.len())?;
        tree.nodes.copy_from_slice(nodes);
        Ok(tree)
    }

    /// `len` times `value`; `None` is more than can be counted.
    fn filled<T: Clone>(&self, op: Operation, len: Option<usize>, value: T) -> Result<(Vec<T>, CountedBytes)> {
        let refused = |detail| HalError::new(ErrorKind::OutOfMemory, op, detail);
        let bytes = len.and_then(|len| u64::try_from(len.checked_mul(size_of::<T>())?).ok());
        let (Some(len), Some(bytes)) = (len, bytes) else {
            return Err(refused("more bytes than an address can reach: use a smaller statement".to_owned()));
        };
        let counted = self.count(bytes).ok_or_else(|| {
            let limit = self.limit.unwrap_or(u64::MAX);
            refused(format!(
                "{} wanted, {} of {} in use: raise the limit or use a smaller statement",
                Bytes(bytes),
                Bytes(self.used().now),
                Bytes(limit)
            ))
        })?;
        let mut values = Vec::new();
        if values.try_reserve_exact(len).is_err() {
            return Err(refused(format!("the system has no room for {}: use a smaller statement", Bytes(bytes))));
        }
        values.resize(len, value);
        Ok((values, counted))
    }

    fn count(&self, bytes: u64) -> Option<CountedBytes> {
        let mut used = self.used();
        used.now = used.now.checked_add(bytes).filter(|sum| self.limit.is_none_or(|limit| *sum <= limit))?;
        used.peak = used.peak.max(used.now);
        Some(CountedBytes { memory: self.clone(), bytes })
    }
}

/// Bytes that count until this is dropped.
#[derive(Debug)]
struct CountedBytes {
    memory: Memory,
    bytes: u64,
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.memory.used().now -= self.bytes;
    }
}

/// A buffer of the reference backend: a list of elements.
#[derive(Debug)]
pub struct ReferenceBuffer<F> {
    pub(crate) values: Vec<F>,
    _counted: CountedBytes,
}

impl<F: Field> DeviceBuffer for ReferenceBuffer<F> {
    fn len(&self) -> usize {
        self.values.len()
    }
}

/// A Merkle tree of the reference backend, one list: the root at 0, the children of node `v` at `2v + 1` and `2v + 2`.
#[derive(Debug)]
pub struct ReferenceTree {
    pub(crate) nodes: Vec<Digest>,
    log_leaves: u32,
    _counted: CountedBytes,
}

impl ReferenceTree {
    /// A copy that is not counted.
    pub(crate) fn stash(&self) -> Stash {
        Stash::new(self.nodes.clone(), size_of_val(self.nodes.as_slice()))
    }

    /// The siblings of a leaf and of its ancestors, root excluded.
    pub(crate) fn path(&self, leaf: usize) -> Vec<Digest> {
        let mut node = (1 << self.log_leaves) - 1 + leaf;
        let mut path = Vec::new();
        while node > 0 {
            // Left children have odd numbers.
            path.push(self.nodes[if node % 2 == 1 { node + 1 } else { node - 1 }]);
            node = (node - 1) / 2;
        }
        path
    }
}

impl DeviceTree for ReferenceTree {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}
