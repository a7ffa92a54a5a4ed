//! Pages of code: written, then executable and no longer writable.

use memmap2::{Mmap, MmapMut};
use rayon::prelude::*;

use super::segment::encode;
use crate::allocate::Allocated;
use crate::cut::Segment;
use crate::error::JitError;
use crate::layout::Layout;

/// The functions of a program.
#[derive(Debug)]
pub(crate) struct Code {
    pages: Mmap,
    starts: Vec<usize>,
}

/// Functions begin where a line of the cache does.
const ALIGNMENT: usize = 64;

/// The function that [`Code::call`] calls.
type Function = unsafe extern "sysv64" fn(*const u64, *mut u64, *const u64, *const u64, *mut u64, *mut u64);

/// Whether the machine has the instructions.
fn is_here() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma")
}

/// Whether code can be made here: the machine has the instructions, and the system gives pages.
pub(crate) fn available() -> Result<(), JitError> {
    if !is_here() {
        return Err(JitError::NotThisMachine);
    }
    MmapMut::map_anon(1).and_then(MmapMut::make_exec).map(drop).map_err(JitError::NoPages)
}

impl Code {
    /// Makes a function of each segment, on all cores.
    pub(crate) fn new(
        segments: &[Segment],
        layout: &Layout,
        allocate: impl Fn(&Segment) -> Allocated + Sync,
    ) -> Result<(Self, Vec<Allocated>), JitError> {
        if !is_here() {
            return Err(JitError::NotThisMachine);
        }
        let made = segments.par_iter().map(|segment| {
            let allocated = allocate(segment);
            let bytes =
                encode(segment, &allocated, layout).map_err(|error| JitError::Instruction(error.to_string()))?;
            Ok((bytes, allocated))
        });
        let (functions, allocated): (Vec<Vec<u8>>, Vec<Allocated>) =
            made.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok((Self::write(&functions)?, allocated))
    }

    /// Puts functions into pages.
    fn write(functions: &[Vec<u8>]) -> Result<Self, JitError> {
        let mut starts = Vec::with_capacity(functions.len());
        let mut length = 0usize;
        for function in functions {
            starts.push(length);
            length = (length + function.len()).next_multiple_of(ALIGNMENT);
        }
        let mut pages = MmapMut::map_anon(length.max(1)).map_err(JitError::NoPages)?;
        for (start, function) in starts.iter().zip(functions) {
            pages[*start..][..function.len()].copy_from_slice(function);
        }
        Ok(Self { pages: pages.make_exec().map_err(JitError::NoPages)?, starts })
    }

    /// Calls function `index`. It reads loads, pool and weights, and writes slots, sums and spills.
    ///
    /// # Safety
    /// All memory must be as long as the function's segment and its layout say.
    pub(crate) unsafe fn call(
        &self,
        index: usize,
        [loads, pool, weights]: [*const u64; 3],
        [slots, sums, spills]: [*mut u64; 3],
    ) {
        let start = self.pages[self.starts[index]..].as_ptr();
        // SAFETY: a function of this signature begins there, in pages that are executable.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(start) };
        // SAFETY: the caller's promise; the machine has the instructions, as was asked before the code was made.
        unsafe { function(loads, slots, pool, weights, sums, spills) };
    }
}
