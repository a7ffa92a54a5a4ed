//! The processor's backends as values, compiled once for all tests that prove.

use std::sync::Arc;

use backend_cpu::CpuOptions;
use backend_reference::{CpuReference, ReferenceProtocol};
use gpu_hal::StarkBackend;
use gpu_hal::erased::{Device, DeviceFrom};

/// The fast backend in the current pool.
///
/// # Panics
/// Never: no thread is started.
pub fn cpu<P: DeviceFrom<CpuOptions>>() -> Device<P> {
    P::device(&CpuOptions::default()).expect("no thread is started")
}

/// The fast backend with threads of its own.
///
/// # Panics
/// If they cannot be started.
pub fn cpu_of<P: DeviceFrom<CpuOptions>>(threads: usize) -> Device<P> {
    P::device(&CpuOptions { threads: Some(threads), ..CpuOptions::default() }).expect("threads can be started")
}

/// The reference.
pub fn reference<P: ReferenceProtocol>() -> Device<P>
where
    CpuReference<P>: StarkBackend<P = P>,
{
    Device::new(Arc::new(CpuReference::new()))
}

/// The reference with `bytes` bytes of memory.
pub fn reference_of<P: ReferenceProtocol>(bytes: u64) -> Device<P>
where
    CpuReference<P>: StarkBackend<P = P>,
{
    Device::new(Arc::new(CpuReference::with_memory_limit(bytes)))
}
