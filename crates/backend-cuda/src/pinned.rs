//! Memory of the host that the device can reach.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUdeviceptr, CUevent, CUevent_flags, CUstream};
use gpu_hal::{ErrorKind, HalError, Result};

use crate::queue::Queue;

/// Pinned memory and the event of its last use.
#[derive(Debug)]
pub(crate) struct Pinned {
    start: *mut u8,
    bytes: usize,
    used: CUevent,
    queue: Arc<Queue>,
}

// SAFETY: the memory belongs to this value, and the driver may be called by several threads.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(crate) fn new(queue: &Arc<Queue>, bytes: usize) -> Result<Self> {
        queue.enter()?;
        let mut pinned = Self { start: ptr::null_mut(), bytes, used: ptr::null_mut(), queue: Arc::clone(queue) };
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the context is current; the driver writes one handle.
        queue.check(unsafe { sys::cuEventCreate(&mut pinned.used, flags) }, "cuEventCreate")?;
        let mut start = ptr::null_mut();
        // Not write-combined: that memory is slow to read.
        // SAFETY: the context is current; the driver writes one pointer.
        queue.check(unsafe { sys::cuMemHostAlloc(&mut start, bytes, 0) }, "cuMemHostAlloc")?;
        pinned.start = start.cast();
        // Bytes that are set may be looked at as a slice.
        // SAFETY: the memory has as many bytes, and nobody else has it yet.
        unsafe { ptr::write_bytes(pinned.start, 0, bytes) };
        Ok(pinned)
    }

    /// Its first byte.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Waits until the last copy from or to it is done.
    pub(crate) fn wait(&self) -> Result<()> {
        // SAFETY: the event is alive; one that was never recorded is done.
        self.queue.check(unsafe { sys::cuEventSynchronize(self.used) }, "cuEventSynchronize")
    }

    /// Enqueues a copy of its first bytes to the device, to a range that was checked. It must stay as it is until
    /// [`Self::wait`].
    pub(crate) fn to_device(&self, stream: CUstream, to: CUdeviceptr, bytes: usize) -> Result<()> {
        self.check(bytes)?;
        // SAFETY: both ranges have as many bytes; the stream is of the current context.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, self.start.cast(), bytes, stream) };
        self.queue.check(code, "cuMemcpyHtoD")?;
        self.record(stream)
    }

    /// Enqueues a copy from a checked range of the device to its first bytes, there after [`Self::wait`].
    pub(crate) fn to_host(&self, stream: CUstream, from: CUdeviceptr, bytes: usize) -> Result<()> {
        self.check(bytes)?;
        // An upload from it may be under way in another stream.
        self.wait()?;
        // SAFETY: both ranges have as many bytes; the stream is of the current context.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(self.start.cast(), from, bytes, stream) };
        self.queue.check(code, "cuMemcpyDtoH")?;
        self.record(stream)
    }

    fn check(&self, bytes: usize) -> Result<()> {
        if bytes <= self.bytes {
            return Ok(());
        }
        let detail = format!("a copy of {bytes} bytes through pinned memory of {}", self.bytes);
        Err(HalError::new(ErrorKind::Backend, "device", detail))
    }

    fn record(&self, stream: CUstream) -> Result<()> {
        // SAFETY: event and stream are of the current context.
        self.queue.check(unsafe { sys::cuEventRecord(self.used, stream) }, "cuEventRecord")
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // A failing call belongs to a context that is lost already.
        let _ = self.queue.enter().and_then(|_| self.wait());
        // SAFETY: made once, released once, after their last use.
        unsafe {
            if !self.start.is_null() {
                let _ = sys::cuMemFreeHost(self.start.cast());
            }
            if !self.used.is_null() {
                let _ = sys::cuEventDestroy_v2(self.used);
            }
        }
    }
}
