//! Device memory.

use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;
use gpu_hal::{ErrorKind, HalError, Result};

use crate::queue::Queue;

/// Memory of a GPU, released on drop after the work enqueued before.
#[derive(Debug)]
pub struct CudaMemory {
    address: CUdeviceptr,
    bytes: u64,
    queue: Arc<Queue>,
}

impl CudaMemory {
    pub(crate) fn new(queue: &Arc<Queue>, bytes: u64) -> Result<Self> {
        Ok(Self { address: queue.alloc(bytes)?, bytes, queue: Arc::clone(queue) })
    }

    /// Where byte `offset` is; the range must lie within the memory.
    pub(crate) fn at(&self, offset: u64, bytes: u64) -> Result<CUdeviceptr> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset),
            _ => Err(HalError::new(
                ErrorKind::Backend,
                "device",
                format!("{bytes} bytes at {offset} of an allocation of {}", self.bytes),
            )),
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        self.queue.free(self.address);
    }
}
