//! What all GPUs share: [`GpuBackend`] implements [`gpu_hal::StarkBackend`] once, on top of the dozen methods of
//! [`KernelDevice`] and the kernel sources of this repository.
#![forbid(unsafe_code)]

mod device;

pub use device::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch};
