//! The kernels of this repository on Apple's GPUs, through Metal.
//!
//! The sources are compiled when a program first runs, by the system (`newLibraryWithSource`): nothing of Xcode is
//! needed. Tables are in private buffers; shared ones are only the ends of transfers, and where the GPU's memory is the
//! host's the pages of large ones are lent as they are. All that is enqueued goes into one command buffer until the
//! host wants a result. A second queue uploads beside it.
//!
//! Two parts: the encoder ([`MetalDevice`] and below it), which is plain Rust over the trait [`layer::Layer`] and is
//! tested on any system with a layer that records the commands and replays them on the emulator; and that trait on
//! Metal, on Apple's systems alone. Each method there is a call of Metal or two.
//!
//! The binding is objc2-metal: it is generated from Apple's headers with the types of every argument and with what may
//! be null, its objects are counted by the compiler, and it is maintained. The older crate `metal` calls itself
//! deprecated in its favour.
//!
//! Environment: `POLYSTARK_METAL_CACHE` (folder of compiled kernels, default `~/Library/Caches/polystark/metal`),
//! `POLYSTARK_METAL_PRODUCT_BITS` (32 or 64: how products of 64 bits are made).

mod archive;
mod device;
mod error;
pub mod layer;
mod queue;
mod transfer;

#[cfg(target_vendor = "apple")]
mod apple;

pub use device::{MetalDevice, MetalKernel, MetalMemory, MetalModule, Options};
pub use queue::MetalEvent;

#[cfg(target_vendor = "apple")]
pub use apple::{AppleLayer, Metal, devices, open, open_device};

/// The name that the backend gives itself in its capabilities.
pub const NAME: &str = "metal";
