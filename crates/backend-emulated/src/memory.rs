//! Device memory: an allocation of the host that kernels see as a pointer.

use std::alloc::{Layout, alloc, dealloc};

use gpu_hal::{ErrorKind, HalError, Result};

/// Every allocation starts at a multiple of this.
const ALIGNMENT: usize = 16;

/// Memory of the emulated device. It starts as a poison pattern, so that a kernel that reads what it never wrote shows.
#[derive(Debug)]
pub struct EmulatedMemory {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the allocation belongs to this value. Reads and writes go through raw pointers under the contract of
// `gpu_runtime::KernelDevice`: calls that touch the same memory are ordered by their caller.
unsafe impl Send for EmulatedMemory {}
// SAFETY: as above.
unsafe impl Sync for EmulatedMemory {}

impl EmulatedMemory {
    /// `bytes` bytes, not zero of them.
    pub(crate) fn new(bytes: u64) -> Result<Self> {
        let none = || HalError::new(ErrorKind::OutOfMemory, "alloc", format!("the host has no {bytes} bytes"));
        let layout = usize::try_from(bytes)
            .ok()
            .filter(|bytes| *bytes > 0)
            .and_then(|bytes| Layout::from_size_align(bytes, ALIGNMENT).ok())
            .ok_or_else(none)?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(none());
        }
        // SAFETY: freshly allocated with this size.
        unsafe { start.write_bytes(0xdb, layout.size()) };
        Ok(Self { start, layout })
    }

    /// Where byte `offset` is; the range must lie within the memory.
    pub(crate) fn at(&self, offset: u64, bytes: u64) -> Result<*mut u8> {
        match offset.checked_add(bytes) {
            // SAFETY: the sum is at most the size of the allocation.
            Some(end) if end <= self.layout.size() as u64 => Ok(unsafe { self.start.add(offset as usize) }),
            _ => Err(HalError::new(
                ErrorKind::Backend,
                "device",
                format!("{bytes} bytes at {offset} of an allocation of {}", self.layout.size()),
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
