//! A backend that fails, or computes wrongly, where one wants it to.

use std::sync::Arc;

#[cfg(feature = "soak-cairo")]
use gpu_hal::CircleStark;
use gpu_hal::{FaultyHook, Hooked};
use proof_format::Profile;

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::flavour::Flavour;
#[cfg(feature = "soak-cairo")]
use crate::programs::Programs;
use crate::prove::asked_of_air;
use crate::proven::Proven;
use crate::stage::silent;

/// A device that fails where its faults say. They are the device's, so proofs are made one at a time.
pub(crate) struct FaultyDevice<F: Flavour> {
    device: Device<F>,
    faults: Arc<FaultyHook>,
}

impl<F: Flavour> Device<F> {
    /// The same device, with faults.
    pub(crate) fn with_faults(self) -> FaultyDevice<F> {
        let faults = Arc::new(FaultyHook::default());
        let probe = |backend: Arc<Backend<F>>| {
            let hooked = Hooked::with_hook(Backend::clone(&backend), Arc::clone(&faults));
            Arc::new(Backend::new(Arc::new(hooked)))
        };
        let Self { backend, in_parts, airs } = self;
        let device = Device { backend: probe(backend), in_parts: in_parts.into_iter().map(probe).collect(), airs };
        FaultyDevice { device, faults }
    }
}

impl<F: Flavour> FaultyDevice<F> {
    /// Proves what `arm` makes difficult; and whether that struck.
    pub(crate) fn prove_air_with(
        &mut self,
        air: Arc<F::Air>,
        trace: &F::Trace,
        options: F::Options,
        arm: impl FnOnce(&FaultyHook),
    ) -> (Result<Proven<F>, Error>, bool) {
        let proven = asked_of_air(&air, trace, options, Profile::NONE, |asked| {
            self.strike(arm, |device| device.prove_asked(asked, &|_| (), &silent))
        });
        proven.unwrap_or_else(|error| (Err(error), false))
    }

    /// What comes of something with faults, of which none are left, and whether they struck.
    fn strike<R>(&self, arm: impl FnOnce(&FaultyHook), run: impl FnOnce(&Device<F>) -> R) -> (R, bool) {
        arm(&self.faults);
        let done = run(&self.device);
        let struck = !self.faults.is_armed();
        self.faults.disarm();
        (done, struck)
    }
}

#[cfg(feature = "soak-cairo")]
impl FaultyDevice<CircleStark> {
    /// Proves a program that `arm` makes difficult; and whether that struck.
    pub(crate) fn prove_cairo_with<R>(
        &mut self,
        arm: impl FnOnce(&FaultyHook),
        prove: impl FnOnce(&Programs) -> Result<R, Error>,
    ) -> (Result<R, Error>, bool) {
        self.strike(arm, |device| prove(&device.programs()))
    }
}
