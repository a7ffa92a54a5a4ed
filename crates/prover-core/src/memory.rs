//! The memory of a proof: reserved before any work.

use gpu_hal::{HalError, Moment, Refused, Reservation, StarkBackend};

use crate::observer::Observer;

/// Why a proof was not promised the memory that it needs.
#[derive(Debug)]
pub(crate) enum MemoryError {
    Missing { needed: u64, at: Moment, available: u64 },
    Occupied { needed: u64, at: Moment, available: u64 },
    Hal(HalError),
}

/// What something takes of a device.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Bytes at the peak.
    pub(crate) peak: u64,
    /// Bytes of them that are taken already.
    pub(crate) held: u64,
    /// Where the peak is.
    pub(crate) at: Moment,
}

/// Reserves what is needed and not taken yet. Waits for other proofs as long as the observer does.
pub(crate) fn reserve<B: StarkBackend, E>(
    backend: &B,
    need: Need,
    observer: &dyn Observer<E>,
) -> Result<Reservation, MemoryError> {
    let Need { peak: needed, held, at } = need;
    let available = || Ok(backend.memory()?.available);
    let reserved = backend.budget().reserve(needed.saturating_sub(held), available, || observer.occupied());
    reserved.map_err(|refused| match refused {
        Refused::Missing { available } => {
            MemoryError::Missing { needed, at, available: available.saturating_add(held) }
        }
        Refused::Occupied { available } => {
            MemoryError::Occupied { needed, at, available: available.saturating_add(held) }
        }
        Refused::Hal(error) => MemoryError::Hal(error),
    })
}
