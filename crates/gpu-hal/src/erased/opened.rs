//! Backends that their own crates open as values.

use super::device::Device;
use crate::{Protocol, Result};

/// A protocol of a backend whose options are `O`. The backend is compiled in its own crate, for each of its protocols
/// ([`devices_from!`](crate::devices_from)): a crate that takes the value compiles none of its operations again.
pub trait DeviceFrom<O>: Protocol {
    /// Opens a device as a value.
    ///
    /// # Errors
    /// As the backend does.
    fn device(options: &O) -> Result<Device<Self>>;
}

/// Implements [`DeviceFrom`](crate::erased::DeviceFrom) for protocols. The function opens a backend of the protocol,
/// which is its `Self`.
///
/// `devices_from!(CpuOptions, |options| Cpu::<Self>::with_options(options), CircleStark, GoldilocksStark);`
#[macro_export]
macro_rules! devices_from {
    ($options:ty, |$given:ident| $open:expr, $($protocol:ty),+) => {
        $(impl $crate::erased::DeviceFrom<$options> for $protocol {
            fn device($given: &$options) -> $crate::Result<$crate::erased::Device<Self>> {
                Ok($crate::erased::Device::new(std::sync::Arc::new($open?)))
            }
        })+
    };
}
