//! What all GPUs share: [`GpuBackend`] implements [`gpu_hal::StarkBackend`] once, on top of the dozen methods of
//! [`KernelDevice`] and the kernel sources of this repository.
#![forbid(unsafe_code)]

mod backend;
mod buffer;
mod call;
mod circle;
mod columns;
mod constraints;
mod deep;
mod device;
mod footprint;
mod generate;
mod host_bytes;
pub mod library;
mod multipliers;
mod nodes;
mod ntt;
mod openings;
mod params;
mod points;
mod pool;
mod profile;
mod program;
mod quotient;
mod recurrence;
mod running;
mod slots;
mod tree;
mod twiddles;

pub use backend::GpuBackend;
pub use buffer::{GpuBuffer, GpuTree};
pub use device::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch, Then, Upload};
pub use host_bytes::HostBytes;
pub use profile::{Interval, OperationProfile, Profile};
pub use program::GpuProgram;
