//! Device memory: an allocation of the host that kernels see as a pointer.

use std::alloc::{Layout, alloc, dealloc};

use gpu_hal::{ErrorKind, HalError, Result};

/// Every allocation starts at a multiple of this.
const ALIGNMENT: usize = 16;

/// The bytes behind an allocation.
const GUARD: [u8; 64] = [0xa7; 64];

/// Memory of the emulated device. It starts as a poison pattern, so that a read of a word that no kernel wrote shows.
/// Behind it stands a guard, so that one shows that writes past the end.
#[derive(Debug)]
pub struct EmulatedMemory {
    start: *mut u8,
    /// Without the guard.
    bytes: usize,
    layout: Layout,
}

// SAFETY: the allocation belongs to this value. Reads and writes go through raw pointers under the contract of
// `gpu_runtime::KernelDevice`: calls that touch the same memory are ordered by their caller.
unsafe impl Send for EmulatedMemory {}
// SAFETY: as above.
unsafe impl Sync for EmulatedMemory {}

impl EmulatedMemory {
    /// `bytes` bytes, not zero of them. With the address sanitizer there is no guard: it sees reads as well, from the
    /// first byte behind.
    pub(crate) fn new(bytes: u64, is_guarded: bool) -> Result<Self> {
        let none = || HalError::new(ErrorKind::OutOfMemory, "alloc", format!("the host has no {bytes} bytes"));
        let guard = if is_guarded { GUARD.len() } else { 0 };
        let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0).ok_or_else(none)?;
        let layout = bytes.checked_add(guard).and_then(|all| Layout::from_size_align(all, ALIGNMENT).ok());
        let layout = layout.ok_or_else(none)?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(none());
        }
        // SAFETY: freshly allocated with room for both.
        unsafe {
            start.write_bytes(0xdb, bytes);
            start.add(bytes).copy_from_nonoverlapping(GUARD.as_ptr(), guard);
        }
        Ok(Self { start, bytes, layout })
    }

    /// Bytes that were asked for.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether nobody has written past the end.
    pub(crate) fn is_whole(&self) -> bool {
        let guard = self.layout.size() - self.bytes;
        // SAFETY: the guard belongs to the allocation and was written when it was made.
        unsafe { std::slice::from_raw_parts(self.start.add(self.bytes), guard) == &GUARD[..guard] }
    }

    /// Where byte `offset` is; the range must lie within the memory.
    pub(crate) fn at(&self, offset: u64, bytes: u64) -> Result<*mut u8> {
        match offset.checked_add(bytes) {
            // SAFETY: the sum is at most the size of the allocation.
            Some(end) if end <= self.bytes as u64 => Ok(unsafe { self.start.add(offset as usize) }),
            _ => Err(HalError::new(
                ErrorKind::Backend,
                "device",
                format!("{bytes} bytes at {offset} of an allocation of {}", self.bytes),
            )),
        }
    }
}

impl Drop for EmulatedMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed only here.
        unsafe { dealloc(self.start, self.layout) };
    }
}
