//! CUDA through its driver interface. The driver and the compiler (NVRTC) are loaded when a device is opened, so this
//! crate is built and its errors are tested on machines that have neither.
//!
//! Kernels are compiled when they are first used, to the device's own architecture, and kept in a folder:
//! `POLYSTARK_CUDA_CACHE`, else `polystark/cuda` in the user's folder for caches. They are found again by the hash of
//! source, options, architecture and compiler. Kernels that were compiled before, on any machine ([`ship`]), are taken
//! from a file for the architecture: `sm_90.kernels` for compute capability 9.0, or the newest `compute_NN.kernels`
//! that the driver can make machine code from. It lies in the folder that `POLYSTARK_CUDA_KERNELS` names, else in
//! `kernels` beside the program or in `../lib/polystark/kernels`. Such a file is trusted as the program is.
//!
//! Needed: a GPU of compute capability 7.5 or more, a driver for CUDA 12.8 or newer; for kernels that are not shipped
//! NVRTC, no newer than the driver in its major version (`libnvrtc.so`, part of the CUDA toolkit and of the PyPI
//! package nvidia-cuda-nvrtc).

mod cache;
mod compiler;
mod device;
mod driver;
mod error;
mod kernels;
mod memory;
mod module;
mod peers;
mod pinned;
mod queue;
mod shipped;
mod transfer;

pub use cache::Cache;
pub use compiler::{Compiled, Compiler, Target};
pub use device::{CudaDevice, CudaEvent, GENERATED_OPERATIONS, GENERATED_ROW_WORDS, Options};
pub use driver::DeviceSummary;
pub use memory::CudaMemory;
pub use module::{CudaKernel, CudaModule};
pub use shipped::{Shipped, pack, ship};

use gpu_hal::{CircleStark, GoldilocksStark, Result};
use gpu_runtime::{GpuBackend, GpuProtocol};

/// The name that the backend gives itself in its capabilities.
pub const NAME: &str = "cuda";

/// The backend of a protocol on a GPU.
pub type Cuda<P = GoldilocksStark> = GpuBackend<CudaDevice, P>;

/// The backend of a protocol on the first device.
///
/// # Errors
/// As [`CudaDevice::new`].
pub fn open<P: GpuProtocol>() -> Result<Cuda<P>> {
    open_device(0)
}

/// The backend of a protocol on a device, by its number in [`devices`].
///
/// # Errors
/// As [`CudaDevice::new`]: [`gpu_hal::ErrorKind::Unavailable`] if there is no such device.
pub fn open_device<P: GpuProtocol>(ordinal: u32) -> Result<Cuda<P>> {
    Cuda::new(NAME, CudaDevice::new(Options { ordinal, ..Options::default() })?)
}

gpu_hal::devices_from!(
    Options,
    |options| Cuda::<Self>::new(NAME, CudaDevice::new(options.clone())?),
    CircleStark,
    GoldilocksStark
);

/// Lists the devices.
///
/// # Errors
/// [`gpu_hal::ErrorKind::Unavailable`] without a driver or a device; the detail names the package to install.
pub fn devices() -> Result<Vec<DeviceSummary>> {
    driver::Driver::load()?.devices()
}
