//! Kernels that were generated for programs, kept for the programs to come: a statement that is proven again is recorded again, and its
//! programs have the same kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::device::KernelDevice;
use crate::generate::Key;

/// Most kernels that are kept. The one that was asked for longest ago goes first; programs keep theirs.
const CAPACITY: usize = 1024;

/// A generated kernel, and its module, which stays loaded as long.
pub(crate) struct Generated<D: KernelDevice> {
    pub(crate) kernel: D::Kernel,
    pub(crate) _module: D::Module,
    /// Its own part of the source, with which its key is tested.
    #[cfg(debug_assertions)]
    pub(crate) text: String,
}

/// Kernels by what their text depends on.
pub(crate) struct GeneratedKernels<D: KernelDevice> {
    kept: Mutex<Kept<D>>,
}

struct Kept<D: KernelDevice> {
    /// With the number of the request that asked last.
    kernels: HashMap<Key, (Arc<Generated<D>>, u64)>,
    requests: u64,
}

impl<D: KernelDevice> GeneratedKernels<D> {
    pub(crate) fn new() -> Self {
        Self { kept: Mutex::new(Kept { kernels: HashMap::new(), requests: 0 }) }
    }

    /// The kernel with this key, if it is kept.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Generated<D>>> {
        let mut kept = self.lock();
        kept.requests += 1;
        let request = kept.requests;
        let (kernel, last) = kept.kernels.get_mut(key)?;
        *last = request;
        Some(Arc::clone(kernel))
    }

    /// Keeps a kernel. If another thread has made it as well, that one is kept, and is the result.
    pub(crate) fn insert(&self, key: Key, kernel: Arc<Generated<D>>) -> Arc<Generated<D>> {
        let mut kept = self.lock();
        let request = kept.requests;
        if kept.kernels.len() >= CAPACITY {
            let oldest = kept.kernels.iter().min_by_key(|(_, (_, last))| *last).map(|(key, _)| key.clone());
            oldest.map(|key| kept.kernels.remove(&key));
        }
        Arc::clone(&kept.kernels.entry(key).or_insert((kernel, request)).0)
    }

    fn lock(&self) -> MutexGuard<'_, Kept<D>> {
        // One insertion is one call, so a panic elsewhere leaves the map whole.
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
