//! Memory of the host that proofs take, asked for before any work.

pub use backend_cpu::host_memory;
use gpu_hal::{HalError, StarkBackend};

/// The memory that a proof takes and that there is, if that is too little. `peak` bytes are the device's, of which
/// `kept` are taken already. A trace of `upload` bytes is in the host's memory; where that is the backend's, too, both
/// must fit.
pub(crate) fn missing_memory<B: StarkBackend>(
    backend: &B,
    peak: u64,
    kept: u64,
    upload: u64,
) -> Result<Option<(u64, u64)>, HalError> {
    let memory = backend.memory()?;
    // The prover waits for memory that other proofs hold.
    let of_device = backend.budget().room(memory.available);
    let takes_host = memory.is_host || memory.moved.is_some();
    let needed = peak.saturating_add(if takes_host { upload } else { 0 });
    let available = of_device.or_else(host_memory).map(|available| available.saturating_add(kept));
    Ok(available.filter(|available| needed > *available).map(|available| (needed, available)))
}
