//! The memory of a proof: reserved before any work.

use gpu_hal::{HalError, Moment, Refused, Reservation, StarkBackend};

use crate::observer::Observer;

/// Why a proof was not promised the memory that it needs. Nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The device's memory budget does not hold the proof.
    #[error(
        "the proof needs {needed} bytes of device memory (at its peak, {at}), {available} are available: prove fewer rows, \
         lower the blowup or take a larger device"
    )]
    Missing {
        /// Bytes needed.
        needed: u64,
        /// Where the peak is.
        at: Moment,
        /// Bytes available.
        available: u64,
    },
    /// Other proofs on the device hold the memory, and the observer does not wait for them.
    #[error(
        "the proof needs {needed} bytes of device memory (at its peak, {at}), {available} are free beside other proofs: wait for \
         them, or take another device"
    )]
    Occupied {
        /// Bytes needed.
        needed: u64,
        /// Where the peak is.
        at: Moment,
        /// Bytes available beside the other proofs.
        available: u64,
    },
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

/// Reserves what is needed and not taken yet. Waits for other proofs as long as the observer does. The outer error is the backend's.
pub(crate) fn reserve<B: StarkBackend, E>(
    backend: &B,
    need: Need,
    observer: &dyn Observer<E>,
) -> Result<Result<Reservation, MemoryError>, HalError> {
    let Need { peak: needed, held, at } = need;
    let available = || Ok(backend.memory()?.available);
    match backend.budget().reserve(needed.saturating_sub(held), available, || observer.occupied()) {
        Ok(reservation) => Ok(Ok(reservation)),
        Err(Refused::Missing { available }) => {
            Ok(Err(MemoryError::Missing { needed, at, available: available.saturating_add(held) }))
        }
        Err(Refused::Occupied { available }) => {
            Ok(Err(MemoryError::Occupied { needed, at, available: available.saturating_add(held) }))
        }
        Err(Refused::Hal(error)) => Err(error),
    }
}
