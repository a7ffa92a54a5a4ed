//! How much memory the host can spare, so that a statement that is too large is refused instead of killed.

use std::fs;
#[cfg(feature = "cairo")]
use std::ops::ControlFlow;

use gpu_hal::{HalError, StarkBackend};
#[cfg(feature = "cairo")]
use {
    gpu_hal::{Budget, Reservation},
    prover_core::{MemoryError, Need},
};

/// Bytes that a new task of this process may use; `None` if the system does not say. On Linux the smaller of what
/// `/proc/meminfo` calls available and what is left of the control group's limit.
pub fn host_memory() -> Option<u64> {
    let host = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(mem_available);
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .map(|most| most.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    host.into_iter().chain(group).min()
}

/// What a proof takes and what there is, if that is too little. `peak` bytes are the device's, of which `kept` are taken already. A trace of
/// `upload` bytes is in the host's memory; a backend that cannot tell its own works there too, and both must fit.
pub(crate) fn missing_memory<B: StarkBackend>(
    backend: &B,
    peak: u64,
    kept: u64,
    upload: u64,
) -> Result<Option<(u64, u64)>, HalError> {
    // The prover waits for what other proofs hold.
    let of_device = backend.budget().room(backend.memory()?.available);
    let needed = peak.saturating_add(if of_device.is_none() { upload } else { 0 });
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

fn mem_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::mem_available;

    #[test]
    fn available_memory_is_read_in_kibibytes() {
        let text = "MemTotal:       16 kB\nMemAvailable:   1234 kB\nBuffers: 1 kB\n";
        assert_eq!(mem_available(text), Some(1234 * 1024));
        assert_eq!(mem_available("MemTotal: 16 kB\n"), None);
        assert_eq!(mem_available("MemAvailable: many kB\n"), None);
    }
}
