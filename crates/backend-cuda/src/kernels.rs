//! Where a device's machine code comes from: shipped, compiled earlier, or compiled now.

use std::path::PathBuf;
use std::sync::OnceLock;

use gpu_hal::{ErrorKind, HalError, Result};
use gpu_runtime::KernelSource;

use crate::cache::Cache;
use crate::compiler::{Compiled, Compiler, Target};
use crate::error::unavailable;
use crate::shipped::Shipped;

/// The kernels of a device.
#[derive(Debug)]
pub(crate) struct Kernels {
    capability: (u32, u32),
    /// The newest version of CUDA that the driver knows.
    driver: (u32, u32),
    shipped: Option<Shipped>,
    cache: Cache,
    /// Found when it is needed: not before a source that is not shipped.
    compiler: OnceLock<std::result::Result<(Compiler, Target), (ErrorKind, String)>>,
}

impl Kernels {
    /// For a device of a compute capability, on a driver; with folders of shipped kernels and of kernels compiled here,
    /// if they are not the default ones.
    ///
    /// # Errors
    /// Without shipped kernels, the errors of finding a compiler that fits device and driver; a file of kernels that is
    /// damaged.
    pub(crate) fn open(
        capability: (u32, u32),
        driver: (u32, u32),
        shipped: Option<PathBuf>,
        cache: Option<PathBuf>,
    ) -> Result<Self> {
        let shipped = Shipped::find(shipped, capability)?;
        let kernels = Self { capability, driver, shipped, cache: Cache::open(cache), compiler: OnceLock::new() };
        if kernels.shipped.is_none() {
            kernels.compiler()?;
        }
        Ok(kernels)
    }

    /// The source of the kernels, in words.
    pub(crate) fn describe(&self) -> String {
        match (&self.shipped, self.compiler.get()) {
            (Some(_), _) => "shipped kernels".to_owned(),
            (None, Some(Ok((compiler, _)))) => format!("NVRTC {}.{}", compiler.version().0, compiler.version().1),
            (None, _) => "no compiler".to_owned(),
        }
    }

    /// Machine code of this source, and whether it was compiled now.
    ///
    /// # Errors
    /// The errors of finding a compiler, if the kernel must be compiled, and of compiling it.
    pub(crate) fn get(&self, source: &KernelSource) -> Result<(Compiled, bool)> {
        if let Some(shipped) = self.shipped.as_ref().and_then(|shipped| shipped.get(source)) {
            return Ok((shipped, false));
        }
        let (compiler, target) = self.compiler()?;
        self.cache.get(compiler, source, *target)
    }

    /// Compiles this source even if it was compiled before.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub(crate) fn renew(&self, source: &KernelSource) -> Result<Compiled> {
        let (compiler, target) = self.compiler()?;
        self.cache.renew(compiler, source, *target)
    }

    fn compiler(&self) -> Result<&(Compiler, Target)> {
        let find = || {
            let compiler = Compiler::find()?;
            let (nvrtc, known) = (compiler.version(), self.driver);
            if nvrtc.0 > known.0 {
                return Err(unavailable(format!(
                    "NVRTC {}.{} is newer than the driver, which knows CUDA {}.{}: install a newer driver, or NVRTC {}",
                    nvrtc.0, nvrtc.1, known.0, known.1, known.0
                )));
            }
            let target = compiler.target(self.capability)?;
            Ok((compiler, target))
        };
        let found = self.compiler.get_or_init(|| find().map_err(|error: HalError| (error.kind, error.detail)));
        found.as_ref().map_err(|(kind, detail)| HalError::new(*kind, "open device", detail.clone()))
    }
}
