//! Memory of the host that proofs take, asked for before any work.

#[cfg(feature = "cairo")]
use std::ops::ControlFlow;

pub use backend_cpu::host_memory;
use gpu_hal::{HalError, StarkBackend};
#[cfg(feature = "cairo")]
use {
    gpu_hal::{Budget, Reservation},
    prover_core::{MemoryError, Need},
};

/// What a proof takes and what there is, if that is too little. `peak` bytes are the device's, of which `kept` are taken already. A trace of
/// `upload` bytes is in the host's memory; where that is the backend's, too, both must fit.
pub(crate) fn missing_memory<B: StarkBackend>(
    backend: &B,
    peak: u64,
    kept: u64,
    upload: u64,
) -> Result<Option<(u64, u64)>, HalError> {
    let memory = backend.memory()?;
    // The prover waits for what other proofs hold.
    let of_device = backend.budget().room(memory.available);
    let takes_host = memory.is_host || memory.moved.is_some();
    let needed = peak.saturating_add(if takes_host { upload } else { 0 });
    let available = of_device.or_else(host_memory).map(|available| available.saturating_add(kept));
    Ok(available.filter(|available| needed > *available).map(|available| (needed, available)))
}

/// What a proof takes, promised of the host's memory if the backend cannot tell its own: it works there too. As long as other such proofs
/// of this process hold the memory, `waits` is asked whether to wait for them. The outer error is the backend's.
#[cfg(feature = "cairo")]
pub(crate) fn reserve_of_host<B: StarkBackend>(
    backend: &B,
    need: Need,
    waits: impl FnMut() -> ControlFlow<()>,
) -> Result<Result<Option<Reservation>, MemoryError>, HalError> {
    if backend.memory()?.available.is_some() {
        return Ok(Ok(None));
    }
    let available = || {
        // The backend gives back what it holds for tables to come.
        backend.budget();
        Ok(host_memory())
    };
    match Budget::of_device("host").reserve(need.missing(), available, waits) {
        Ok(reservation) => Ok(Ok(Some(reservation))),
        Err(refused) => need.refused(refused).map(Err),
    }
}
