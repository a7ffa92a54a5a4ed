//! Kernels that were generated for programs, kept for the programs to come: a statement that is proven again is
//! recorded again, and its programs have the same kernels.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard};

use gpu_hal::ir::lowered::LruCache;
use gpu_hal::{HalError, Result};
use ir::text::constraints::{Cut, Key, Piece, Purpose, Run, kernel, parameters};

use crate::device::{KernelDevice, KernelSource};
use crate::params::Params;

/// Most kernels that are kept: all that the shipped AIRs and Cairo's components take on one architecture are 603
/// (docs/benchmarks.md). Kernels of the programs that were asked for longest ago go first; programs in use hold their
/// own.
const MOST_KERNELS: usize = 768;

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
            let own = kernel(run, &piece, purpose);
            let mut source = source.clone();
            source.text.push_str(&own.text);
            let module = device.build(&source)?;
            Ok(GeneratedKernel {
                kernel: device.kernel(&module, own.entry)?,
                _module: module,
                piece,
                #[cfg(debug_assertions)]
                text: own.text,
            })
        };
        let reads = pieces.iter().any(|piece| parameters(run, piece).is_none());
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

    /// Whether a run of these kernels is written from it.
    #[cfg(debug_assertions)]
    pub(crate) fn has_texts_of(&self, run: &Run<'_>, purpose: Purpose) -> bool {
        self.kernels.iter().all(|own| own.text == kernel(run, &own.piece, purpose).text)
    }
}

impl<D: KernelDevice> GeneratedKernel<D> {
    /// Its parameter block, from the interpreter's.
    pub(crate) fn params(&self, run: &Run<'_>, params: Params) -> Params {
        let Some(own) = parameters(run, &self.piece) else { return params };
        let params = own.words.into_iter().fold(params, Params::u64);
        own.elements.into_iter().fold(params, |params, element| match run.element {
            4 => params.u32(element as u32),
            _ => params.u64(element),
        })
    }
}

/// Kernels of programs by the values that their texts depend on.
pub(crate) struct GeneratedKernels<D: KernelDevice> {
    kept: Mutex<LruCache<Key, Arc<Generated<D>>>>,
}

impl<D: KernelDevice> GeneratedKernels<D> {
    pub(crate) fn new() -> Self {
        Self { kept: Mutex::new(LruCache::new(MOST_KERNELS)) }
    }

    /// The kernels with this key, if they are kept.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Generated<D>>> {
        self.lock().get(|known| known == key).map(Arc::clone)
    }

    /// Keeps kernels. If another thread has made them as well, its ones are kept, and are the result.
    pub(crate) fn insert(&self, key: Key, kernels: Arc<Generated<D>>) -> Arc<Generated<D>> {
        let mut kept = self.lock();
        if let Some(known) = kept.get(|known| *known == key) {
            return Arc::clone(known);
        }
        kept.insert_weighted(key, Arc::clone(&kernels), kernels.kernels.len());
        kernels
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<Key, Arc<Generated<D>>>> {
        // A panic elsewhere leaves the list whole.
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
