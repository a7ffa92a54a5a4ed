//! A GPU backend without a GPU: [`EmulatedDevice`] compiles the kernel sources of this repository with the system's C++
//! compiler and runs every GPU thread as a fibre, so that kernels, launch planning and whole proofs are tested on any
//! machine.
//!
//! It is a test device, not a fast one. It finds faults that a GPU hides: threads run in an order shuffled by a seed,
//! shared and fresh device memory hold a poison pattern, a barrier that not all threads of a block reach is an error,
//! as is a write just past the end of an allocation, and with
//! `POLYSTARK_EMULATOR_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all"` (and the sanitizer's library
//! preloaded) every access of a kernel is checked.
//!
//! It also runs the kernels as Metal's compiler sees them ([`Dialect::Metal`]): with a stand-in for Metal's library,
//! its address spaces and its limits.
//!
//! Environment: `CXX` (the compiler, default `c++`, for Metal's dialect `clang++` where there is one),
//! `POLYSTARK_EMULATOR_FLAGS` (more compiler flags), `POLYSTARK_EMULATOR_CACHE` (folder of compiled kernels, default
//! `polystark-emulator-<user>` in the folder for temporary files).

mod cache;
mod compiler;
mod device;
mod memory;
mod metal;
mod module;

pub use compiler::Dialect;
pub use device::{EmulatedDevice, Options};
pub use memory::EmulatedMemory;
pub use module::{EmulatedKernel, EmulatedModule, MetalArgument, MetalSignature};

use gpu_hal::{GoldilocksStark, Result};
use gpu_runtime::GpuBackend;

/// The name that the backend gives itself in its capabilities.
pub const NAME: &str = "emulated";

/// The backend of a protocol on the emulator.
pub type Emulated<P = GoldilocksStark> = GpuBackend<EmulatedDevice, P>;

/// The device with default options.
///
/// # Errors
/// [`gpu_hal::ErrorKind::Unavailable`] if there is no C++ compiler.
pub fn device() -> Result<EmulatedDevice> {
    EmulatedDevice::new(Options::default())
}
