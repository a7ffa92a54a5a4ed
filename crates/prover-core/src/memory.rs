//! The memory of a proof: reserved before any work.

use gpu_hal::budget::{Refused, Reservation};
use gpu_hal::rehearsal::PeakLocation;
use gpu_hal::{Bytes, HalError, StarkBackend};

use crate::observer::Observer;

/// Why a proof was not promised the memory that it needs. Nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The device's memory budget does not hold the proof.
    #[error(
        "the proof needs {} of device memory (at its peak, {at}), {} are available: prove fewer rows, lower the blowup or take a \
         larger device", Bytes(*.needed), Bytes(*.available)
    )]
    Missing {
        /// Bytes needed.
        needed: u64,
        /// Where the peak is.
        at: PeakLocation,
        /// Bytes available.
        available: u64,
    },
    /// Other proofs on the device hold the memory, and the observer does not wait for them.
    #[error(
        "the proof needs {} of device memory (at its peak, {at}), {} are free beside other proofs: wait for them, or take another \
         device", Bytes(*.needed), Bytes(*.available)
    )]
    Occupied {
        /// Bytes needed.
        needed: u64,
        /// Where the peak is.
        at: PeakLocation,
        /// Bytes available beside the other proofs.
        available: u64,
    },
}

/// A need for memory of a device, or of the host.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Bytes at the peak.
    pub peak: u64,
    /// Bytes of them that are taken already.
    pub held: u64,
    /// Where the peak is.
    pub at: PeakLocation,
}

impl Need {
    /// The bytes that are not taken yet.
    pub fn missing(&self) -> u64 {
        self.peak.saturating_sub(self.held)
    }

    /// The error for a [`gpu_hal::Budget`] that refuses to promise [`Self::missing`].
    ///
    /// # Errors
    /// The backend's error, if it could not tell the available memory.
    pub fn refused(&self, refused: Refused) -> Result<MemoryError, HalError> {
        let Self { peak: needed, held, at } = *self;
        match refused {
            Refused::Missing { available } => {
                Ok(MemoryError::Missing { needed, at, available: available.saturating_add(held) })
            }
            Refused::Occupied { available } => {
                Ok(MemoryError::Occupied { needed, at, available: available.saturating_add(held) })
            }
            Refused::Hal(error) => Err(error),
        }
    }
}

/// Reserves the bytes that are needed and not taken yet. Waits for other proofs as long as the observer does. The outer
/// error is the backend's.
pub(crate) fn reserve<B: StarkBackend, E>(
    backend: &B,
    need: Need,
    observer: &dyn Observer<E>,
) -> Result<Result<Reservation, MemoryError>, HalError> {
    let available = || Ok(backend.memory()?.available);
    match backend.budget().reserve(need.missing(), available, || observer.occupied()) {
        Ok(reservation) => Ok(Ok(reservation)),
        Err(refused) => need.refused(refused).map(Err),
    }
}
