//! A device that fails, or computes wrongly, where one wants it to.

use std::sync::Arc;

use gpu_hal::decorate::{FaultyHook, Hooked};
use sdk::{AnyBackend, Device, Error, ProofSystem};

/// A device that fails where its faults say. They are the device's, so proofs are made one at a time.
pub(super) struct FaultyDevice<F: ProofSystem> {
    device: Device<F>,
    faults: Arc<FaultyHook>,
}

impl<F: ProofSystem> FaultyDevice<F> {
    /// The same device, with faults.
    pub(super) fn new(device: Device<F>) -> Self {
        let faults = Arc::new(FaultyHook::default());
        let device = device.within(|backend| Hooked::with_hook(AnyBackend::clone(&backend), Arc::clone(&faults)));
        Self { device, faults }
    }

    /// The proof that `arm` makes difficult, and whether a fault struck. No faults are left.
    pub(super) fn prove<R>(
        &mut self,
        arm: impl FnOnce(&FaultyHook),
        prove: impl FnOnce(&Device<F>) -> Result<R, Error>,
    ) -> (Result<R, Error>, bool) {
        arm(&self.faults);
        let done = prove(&self.device);
        let struck = !self.faults.is_armed();
        self.faults.disarm();
        (done, struck)
    }
}
