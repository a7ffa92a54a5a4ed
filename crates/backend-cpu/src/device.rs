//! The backend as a value, compiled in this crate: a crate that takes it compiles no kernel again.

use std::sync::Arc;

use field::Goldilocks;
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, GoldilocksStark, Result};

use crate::{Cpu, CpuOptions, CpuProtocol};

/// A protocol whose backend comes as a value.
pub trait CpuDevice: CpuProtocol {
    /// [`Cpu::with_options`] as a value.
    ///
    /// # Errors
    /// As [`Cpu::with_options`].
    fn device(options: &CpuOptions) -> Result<Device<Self>>;
}

macro_rules! devices {
    ($($protocol:ty),+) => {
        $(impl CpuDevice for $protocol {
            fn device(options: &CpuOptions) -> Result<Device<Self>> {
                Ok(Device::new(Arc::new(Cpu::with_options(options)?)))
            }
        })+
    };
}

devices!(CircleStark, GoldilocksStark, GoldilocksStark<Goldilocks>);
