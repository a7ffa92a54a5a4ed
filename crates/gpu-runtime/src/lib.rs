//! What all GPUs share: [`GpuBackend`] implements [`gpu_hal::StarkBackend`] once, on top of the dozen methods of
//! [`KernelDevice`] and the kernel sources of this repository.
#![forbid(unsafe_code)]

mod backend;
mod buffer;
mod cache;
mod call;
mod circle;
mod columns;
mod constraints;
mod device;
mod eval_at;
mod footprint;
mod generate;
mod goldilocks;
mod host_bytes;
mod library;
mod logup;
mod multipliers;
mod nodes;
mod openings;
mod params;
mod pool;
mod profile;
mod program;
mod protocol;
mod recurrence;
mod running;
mod slots;
mod tree;

pub use backend::GpuBackend;
pub use buffer::{GpuBuffer, GpuTree};
pub use device::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch, Then, Upload};
pub use host_bytes::HostBytes;
pub use library::{Unit, Units};
pub use profile::{Interval, OperationProfile, Profile};
pub use program::GpuProgram;
pub use protocol::GpuProtocol;
