//! Devices: how they are opened, and what they do.

pub(crate) mod backend;
pub(crate) mod device;
pub(crate) mod driver;
pub(crate) mod drivers;
#[cfg(all(feature = "circle", feature = "cuda", feature = "goldilocks"))]
pub(crate) mod kernels;
pub(crate) mod memory;
