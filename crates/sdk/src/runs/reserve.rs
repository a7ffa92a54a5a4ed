//! The host's memory, promised to the proof of a run.

use std::ops::ControlFlow;

use gpu_hal::budget::Reservation;
use gpu_hal::{Budget, HalError, StarkBackend};
use prover_core::{MemoryError, Need};

use crate::devices::memory::host_memory;

/// Memory for a proof, promised of the host's if the backend cannot tell its own: it works there too. As long as other
/// such proofs of this process hold the memory, `waits` is asked whether to wait for them. The outer error is the
/// backend's.
pub(super) fn reserve_of_host<B: StarkBackend>(
    backend: &B,
    need: Need,
    waits: impl FnMut() -> ControlFlow<()>,
) -> Result<Result<Option<Reservation>, MemoryError>, HalError> {
    if backend.memory()?.available.is_some() {
        return Ok(Ok(None));
    }
    let available = || {
        // The backend gives back the memory that it holds for tables to come.
        backend.budget();
        Ok(host_memory())
    };
    match Budget::of_device("host").reserve(need.missing(), available, waits) {
        Ok(reservation) => Ok(Ok(Some(reservation))),
        Err(refused) => need.refused(refused).map(Err),
    }
}
