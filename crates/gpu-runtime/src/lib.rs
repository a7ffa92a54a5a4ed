//! The common part of all GPUs: [`GpuBackend`] implements [`gpu_hal::Operations`] once, on top of the methods of
//! [`KernelDevice`] and the kernel sources of this repository.
#![forbid(unsafe_code)]

mod backend;
mod buffer;
mod cache;
mod call;
mod checked;
mod circle;
mod columns;
mod constraints;
mod device;
mod elements;
mod eval_at;
mod footprint;
mod generated;
mod goldilocks;
mod host_bytes;
mod host_store;
mod leaves;
mod library;
mod logup;
mod multipliers;
mod nodes;
mod openings;
mod openings_stored;
pub mod owned;
mod params;
mod placed;
mod placement;
mod pool;
mod profile;
mod program;
mod program_sums;
mod protocol;
mod random;
mod recorder;
mod recurrence;
mod row_programs;
mod running;
mod scan;
mod shared_lde;
mod shared_upload;
mod slots;
mod sumchecks;
mod tree;
mod types;

pub use backend::GpuBackend;
pub use buffer::{GpuBuffer, GpuTree};
pub use device::{Argument, DeviceInfo, KernelDevice, KernelSource, Launch, Then, Upload};
pub use gpu_hal::clock::{Interval, OperationProfile, Profile};
pub use host_bytes::{HostBytes, Piece};
pub use library::{Unit, Units};
pub use program::GpuProgram;
pub use protocol::GpuProtocol;
pub use recorder::Recorder;
pub use types::GpuTypes;
