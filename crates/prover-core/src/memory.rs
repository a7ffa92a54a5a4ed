//! Whether there is memory for a proof.

use gpu_hal::{HalError, Place, StarkBackend};

/// Why a proof may not take the memory that it needs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MemoryError {
    /// There is too little of it.
    #[error("{needed} bytes needed, {available} available")]
    Missing { needed: u64, at: Place, available: u64 },
    /// The backend cannot say.
    #[error(transparent)]
    Hal(#[from] HalError),
}

/// Refuses what does not fit. Of the bytes needed `held` are taken already.
pub(crate) fn check<B: StarkBackend>(backend: &B, needed: u64, held: u64, at: Place) -> Result<(), MemoryError> {
    let available = backend.memory()?.available.map(|bytes| bytes.saturating_add(held));
    match available {
        Some(available) if needed > available => Err(MemoryError::Missing { needed, at, available }),
        _ => Ok(()),
    }
}
