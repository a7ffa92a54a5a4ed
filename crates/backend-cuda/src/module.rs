//! Loaded kernels.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction, CUmodule};
use gpu_hal::{ErrorKind, HalError, Result};

use crate::compiler::Compiled;
use crate::queue::Queue;

/// A translation unit on the device.
#[derive(Debug)]
pub struct CudaModule {
    loaded: Arc<LoadedModule>,
}

#[derive(Debug)]
struct LoadedModule {
    module: CUmodule,
    queue: Arc<Queue>,
}

// SAFETY: a module is only read once it is loaded, and the driver may be called by several threads.
unsafe impl Send for LoadedModule {}
// SAFETY: as above.
unsafe impl Sync for LoadedModule {}

/// An entry point; its module stays loaded as long.
#[derive(Debug)]
pub struct CudaKernel {
    pub(crate) function: CUfunction,
    _loaded: Arc<LoadedModule>,
}

// SAFETY: as for the module.
unsafe impl Send for CudaKernel {}
// SAFETY: as for the module.
unsafe impl Sync for CudaKernel {}

impl CudaModule {
    pub(crate) fn load(queue: &Arc<Queue>, compiled: &Compiled) -> Result<Self> {
        queue.enter()?;
        // PTX is text and ends with a zero; for a cubin one more byte does no harm.
        let mut image = compiled.code.clone();
        image.push(0);
        let mut module = ptr::null_mut();
        // SAFETY: NVRTC made the image, whose hash was checked if it comes from a file. It outlives the call.
        queue.check(unsafe { sys::cuModuleLoadData(&mut module, image.as_ptr().cast()) }, "cuModuleLoadData")?;
        Ok(Self { loaded: Arc::new(LoadedModule { module, queue: Arc::clone(queue) }) })
    }

    pub(crate) fn kernel(&self, entry: &str) -> Result<CudaKernel> {
        self.loaded.queue.enter()?;
        let missing =
            || HalError::new(ErrorKind::KernelBuild, "build kernel", format!("no kernel '{entry}' in its unit"));
        let name = CString::new(entry).map_err(|_| missing())?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded; the driver writes one handle.
        let code = unsafe { sys::cuModuleGetFunction(&mut function, self.loaded.module, name.as_ptr()) };
        self.loaded.queue.check(code, "cuModuleGetFunction").map_err(|error| match error.kind {
            ErrorKind::KernelBuild => missing(),
            _ => error,
        })?;
        Ok(CudaKernel { function, _loaded: Arc::clone(&self.loaded) })
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // Kernels of it may still run. A failing call belongs to a context that is lost already.
        let _ = self.queue.synchronize();
        // SAFETY: loaded once, unloaded once; no kernel of it is left.
        let _ = unsafe { sys::cuModuleUnload(self.module) };
    }
}
