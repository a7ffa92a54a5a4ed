//! A context of its own on a device, with a stream for the work, one for uploads and one for copies beside it, and a
//! memory pool. After a faulty access of a kernel CUDA refuses every further context of the process, as seen with
//! driver 580.

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cudarc::driver::sys::{
    self, CUcontext, CUctx_flags, CUdevice, CUdevice_attribute, CUdeviceptr, CUmemAllocationHandleType,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps, CUmemoryPool, CUresult,
    CUstream, CUstream_flags,
};
use gpu_hal::{Bytes, ErrorKind, Result};

use crate::driver::attribute;
use crate::error::{check, lost};

/// The number of the next queue.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// All work, in order.
    Work,
    /// Uploads beside it.
    Uploads,
    /// Copies to other devices beside it.
    Copies,
}

/// Context, streams and pool.
#[derive(Debug)]
pub(crate) struct Queue {
    /// No other queue of the process has it, now or later.
    pub(crate) number: u64,
    pub(crate) device: CUdevice,
    /// Whether its device reaches the memory of other queues, by their number: each answer is kept.
    pub(crate) peers: Mutex<BTreeMap<u64, bool>>,
    context: CUcontext,
    stream: CUstream,
    uploads: CUstream,
    copies: CUstream,
    /// Set by the first call that finds the device lost: from then on no call of the driver is tried, whatever it would
    /// say.
    lost: AtomicBool,
    /// Null where the device has no pools.
    pool: CUmemoryPool,
}

// SAFETY: the driver's interface may be called by several threads; every call here makes the context current first.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    pub(crate) fn new(device: CUdevice) -> Result<Self> {
        let mut queue = Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            device,
            peers: Mutex::default(),
            context: ptr::null_mut(),
            stream: ptr::null_mut(),
            uploads: ptr::null_mut(),
            copies: ptr::null_mut(),
            lost: AtomicBool::new(false),
            pool: ptr::null_mut(),
        };
        // A thread that waits for the device asks it again and again, but lets other threads have the processor in
        // between: the runs of a batch need it.
        let flags = CUctx_flags::CU_CTX_SCHED_YIELD as u32;
        // A context that fails half way is released by drop.
        // SAFETY: the device is the driver's; no parameters means an ordinary context.
        check(unsafe { sys::cuCtxCreate_v4(&mut queue.context, ptr::null_mut(), flags, device) }, "cuCtxCreate")?;
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the new context is current.
        check(unsafe { sys::cuStreamCreate(&mut queue.stream, flags) }, "cuStreamCreate")?;
        for stream in [&mut queue.uploads, &mut queue.copies] {
            // SAFETY: as above.
            check(unsafe { sys::cuStreamCreate(stream, flags) }, "cuStreamCreate")?;
        }
        if attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0 {
            let props = CUmemPoolProps {
                allocType: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
                handleTypes: CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
                location: CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device },
                win32SecurityAttributes: ptr::null_mut(),
                maxSize: 0,
                usage: 0,
                reserved: [0; 54],
            };
            // SAFETY: the properties are of this device and live through the call.
            check(unsafe { sys::cuMemPoolCreate(&mut queue.pool, &props) }, "cuMemPoolCreate")?;
            // By default all free memory goes back to the system at every synchronisation.
            let mut threshold = u64::MAX;
            // SAFETY: this attribute is 64 bits wide.
            let code = unsafe {
                sys::cuMemPoolSetAttribute(
                    queue.pool,
                    CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                    (&raw mut threshold).cast(),
                )
            };
            check(code, "cuMemPoolSetAttribute")?;
        }
        Ok(queue)
    }

    /// `Ok` for success, else the error; a lost device is remembered.
    pub(crate) fn check(&self, code: CUresult, call: &'static str) -> Result<()> {
        check(code, call).inspect_err(|error| {
            if error.kind == ErrorKind::DeviceLost {
                self.lost.store(true, Ordering::Relaxed);
            }
        })
    }

    /// The context, for copies between devices.
    pub(crate) fn context(&self) -> CUcontext {
        self.context
    }

    /// The pool, null where the device has none.
    pub(crate) fn pool(&self) -> CUmemoryPool {
        self.pool
    }

    /// Makes the context the calling thread's and gives the stream of the work.
    pub(crate) fn enter(&self) -> Result<CUstream> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(lost());
        }
        // SAFETY: the context lives as long as this value.
        self.check(unsafe { sys::cuCtxSetCurrent(self.context) }, "cuCtxSetCurrent")?;
        Ok(self.stream)
    }

    /// Makes the context the calling thread's and gives one of the streams.
    pub(crate) fn enter_stream(&self, stream: Stream) -> Result<CUstream> {
        let work = self.enter()?;
        Ok(match stream {
            Stream::Work => work,
            Stream::Uploads => self.uploads,
            Stream::Copies => self.copies,
        })
    }

    /// Waits for the work, for all uploads and for all copies beside it.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let stream = self.enter()?;
        self.drain(stream).and(self.drain(self.uploads)).and(self.drain(self.copies))
    }

    /// Waits for a stream of this queue; the context is current.
    pub(crate) fn drain(&self, stream: CUstream) -> Result<()> {
        // SAFETY: the stream belongs to the current context.
        self.check(unsafe { sys::cuStreamSynchronize(stream) }, "cuStreamSynchronize")
    }

    /// Copies from memory that is not pinned, which the driver has copied when this returns, to a range that was
    /// checked; the context is current.
    pub(crate) fn to_device(&self, stream: CUstream, to: CUdeviceptr, from: &[u8]) -> Result<()> {
        // SAFETY: the caller checked the range; the stream belongs to the current context.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), stream) };
        self.check(code, "cuMemcpyHtoD")
    }

    /// Copies from a range that was checked to memory that is not pinned, after all work that was enqueued before;
    /// waits.
    pub(crate) fn to_host(&self, from: CUdeviceptr, to: &mut [u8]) -> Result<()> {
        let stream = self.enter()?;
        // SAFETY: the caller checked the range, and the slice lives until the stream is drained below.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), stream) };
        // Drains in any case: the slice must not be left to a copy under way.
        self.check(code, "cuMemcpyDtoH").and(self.drain(stream))
    }

    /// Bytes that an allocation may take: free ones of the device and of the pool.
    pub(crate) fn free_memory(&self) -> Result<u64> {
        self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the driver writes two integers.
        self.check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }, "cuMemGetInfo")?;
        let kept = self
            .pool_bytes(CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?
            .saturating_sub(self.pool_bytes(CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?);
        Ok(free as u64 + kept)
    }

    fn pool_bytes(&self, attribute: CUmemPool_attribute) -> Result<u64> {
        let mut bytes = 0u64;
        if !self.pool.is_null() {
            // SAFETY: these attributes are 64 bits wide.
            let code = unsafe { sys::cuMemPoolGetAttribute(self.pool, attribute, (&raw mut bytes).cast()) };
            self.check(code, "cuMemPoolGetAttribute")?;
        }
        Ok(bytes)
    }

    /// Device memory. When there is none, released memory is really given back, and it is asked once more.
    pub(crate) fn alloc(&self, bytes: u64) -> Result<CUdeviceptr> {
        match self.try_alloc(bytes) {
            Err(error) if error.kind == ErrorKind::OutOfMemory && !self.pool.is_null() => {
                self.synchronize()?;
                // SAFETY: the pool lives as long as this value.
                self.check(unsafe { sys::cuMemPoolTrimTo(self.pool, 0) }, "cuMemPoolTrimTo")?;
                self.try_alloc(bytes).map_err(|mut error| {
                    error.detail = format!("{}: {}", Bytes(bytes), error.detail);
                    error
                })
            }
            result => result,
        }
    }

    fn try_alloc(&self, bytes: u64) -> Result<CUdeviceptr> {
        let stream = self.enter()?;
        let mut address = 0;
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let code = if self.pool.is_null() {
            // SAFETY: the context is current; the driver writes an address.
            unsafe { sys::cuMemAlloc_v2(&mut address, size) }
        } else {
            // SAFETY: pool and stream are of the current context.
            unsafe { sys::cuMemAllocFromPoolAsync(&mut address, size, self.pool, stream) }
        };
        self.check(code, "cuMemAlloc")?;
        Ok(address)
    }

    /// Releases memory after the work that was enqueued before. Errors stay: a drop has no one to tell, and a lost
    /// device says so at the next call.
    pub(crate) fn free(&self, address: CUdeviceptr) {
        let Ok(stream) = self.enter() else { return };
        let code = if self.pool.is_null() {
            // SAFETY: allocated by `try_alloc` and released once; waits for the device.
            unsafe { sys::cuMemFree_v2(address) }
        } else {
            // SAFETY: allocated by `try_alloc` and released once.
            unsafe { sys::cuMemFreeAsync(address, stream) }
        };
        let _: CUresult = code;
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.context.is_null() {
            return;
        }
        // A failing call here belongs to a context that is lost already; destroying it releases the rest.
        let _ = self.synchronize();
        // SAFETY: memory, modules and events hold this queue, so they are gone; each handle is released once, the
        // context last.
        unsafe {
            if !self.pool.is_null() {
                let _ = sys::cuMemPoolDestroy(self.pool);
            }
            for stream in [self.copies, self.uploads, self.stream] {
                if !stream.is_null() {
                    let _ = sys::cuStreamDestroy_v2(stream);
                }
            }
            let _ = sys::cuCtxDestroy_v2(self.context);
        }
    }
}
