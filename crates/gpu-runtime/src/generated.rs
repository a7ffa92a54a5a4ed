//! Kernels that were generated for programs, kept for the programs to come: a statement that is proven again is recorded again, and its
//! programs have the same kernels.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard};

use gpu_hal::{HalError, Result};

use crate::device::{KernelDevice, KernelSource};
use crate::generate::{self, Cut, Key, Piece, Purpose, Run};
use crate::params::Params;

/// Of most programs the kernels are kept. Those that were asked for longest ago go first; programs keep theirs.
const CAPACITY: usize = 1024;

/// The kernels of a program, in the order in which they run.
pub(crate) struct Generated<D: KernelDevice> {
    pub(crate) kernels: Vec<GeneratedKernel<D>>,
    /// Base columns of the values that a kernel hands on to later ones.
    pub(crate) handed: u32,
    /// Whether one reads constants, loads or groups from a buffer: they do not fit its parameters.
    pub(crate) reads: bool,
}

/// A generated kernel, and its module, which stays loaded as long.
pub(crate) struct GeneratedKernel<D: KernelDevice> {
    pub(crate) kernel: D::Kernel,
    _module: D::Module,
    piece: Piece,
    /// Its own part of the source, with which its key is tested.
    #[cfg(debug_assertions)]
    text: String,
}

impl<D: KernelDevice> Generated<D> {
    /// Compiles the kernels of a program, as many at a time as there are processors; their texts go after `source`.
    pub(crate) fn build(
        device: &D,
        (run, purpose): (&Run<'_>, Purpose),
        Cut { pieces, handed }: Cut,
        source: &KernelSource,
    ) -> Result<Self> {
        let build = |piece| {
            let text = generate::text(run, &piece, purpose);
            let mut source = source.clone();
            source.text.push_str(&text);
            let module = device.build(&source)?;
            Ok(GeneratedKernel {
                kernel: device.kernel(&module, purpose.entry())?,
                _module: module,
                piece,
                #[cfg(debug_assertions)]
                text,
            })
        };
        let reads = pieces.iter().any(|piece| !piece.fits_params(run.slots.len(), 0, run.element));
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let (mut kernels, mut pieces) = (Vec::with_capacity(pieces.len()), pieces.into_iter());
        while let Some(last) = pieces.next() {
            let others: Vec<_> = pieces.by_ref().take(at_once - 1).collect();
            std::thread::scope(|scope| {
                let others: Vec<_> = others.into_iter().map(|piece| scope.spawn(|| build(piece))).collect();
                kernels.push(build(last)?);
                for built in others {
                    kernels.push(built.join().unwrap_or_else(|panic| resume_unwind(panic))?);
                }
                Ok::<_, HalError>(())
            })?;
        }
        Ok(Self { kernels, handed, reads })
    }

    /// Whether it is what a run of these kernels is written from.
    #[cfg(debug_assertions)]
    pub(crate) fn has_texts_of(&self, run: &Run<'_>, purpose: Purpose) -> bool {
        self.kernels.iter().all(|kernel| kernel.text == generate::text(run, &kernel.piece, purpose))
    }
}

impl<D: KernelDevice> GeneratedKernel<D> {
    /// Its parameter block, from the interpreter's.
    pub(crate) fn params(&self, run: &Run<'_>, params: Params) -> Params {
        generate::params(run, &self.piece, params)
    }
}

/// Kernels of programs by what their texts depend on.
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
