//! The kernels of a protocol, and what they need to know of it.

use bytemuck::Pod;
use gpu_hal::{Protocol, Result};

use crate::library::Units;

/// A protocol that there are kernels for: which, what for, and what they keep on the device.
pub trait KernelSet: Protocol<Base: Pod> {
    /// The kernels.
    const UNITS: &'static Units;
    /// Log2 of the rows of the highest table.
    const MAX_LOG_HEIGHT: u32;
    /// Tables that are made once and kept: of points, of factors.
    type Caches<M: Send + Sync + 'static>: Default + Send + Sync;

    /// Whether there are kernels for the field of the challenges.
    fn check_extension() -> Result<()> {
        Ok(())
    }
}

/// Elements of a word.
pub(crate) const fn per_word<P: Protocol>() -> u64 {
    8 / size_of::<P::Base>() as u64
}

/// Words of so many elements.
pub(crate) const fn words<P: Protocol>(elements: u64) -> u64 {
    elements.div_ceil(per_word::<P>())
}
