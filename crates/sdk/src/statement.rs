//! Kinds of statements: an AIR of either proof system, the run of a Cairo program. A new kind implements [`Statement`]
//! and nothing else.

use crate::device::Device;
use crate::error::Error;
use crate::stage::Follow;
use crate::system::ProofSystem;

/// A statement of some kind, which devices of a proof system prove. A kind may stand on others:
///
/// ```
/// # #[cfg(feature = "goldilocks")] {
/// use polystark_sdk::goldilocks::{Device, Proven, Request};
/// use polystark_sdk::{Error, Follow, Footprint, Goldilocks3, Ready, ReadyAir, Statement};
///
/// /// Two statements that are proven one after the other.
/// struct Both(Request, Request);
///
/// struct ReadyBoth<'a>(ReadyAir<'a, Goldilocks3>, ReadyAir<'a, Goldilocks3>);
///
/// impl Statement<Goldilocks3> for Both {
///     type Plan = [Footprint; 2];
///     type Proven = [Proven; 2];
///     type Ready<'a> = ReadyBoth<'a>;
///
///     fn plan(&self, device: &Device) -> Result<[Footprint; 2], Error> {
///         Ok([device.plan(&self.0)?, device.plan(&self.1)?])
///     }
///
///     fn ready<'a>(&'a self, device: &'a Device) -> Result<ReadyBoth<'a>, Error> {
///         Ok(ReadyBoth(device.ready(&self.0)?, device.ready(&self.1)?))
///     }
/// }
///
/// impl Ready for ReadyBoth<'_> {
///     type Proven = [Proven; 2];
///
///     fn prove(&self, follow: &Follow<'_>) -> Result<[Proven; 2], Error> {
///         Ok([self.0.prove(follow)?, self.1.prove(follow)?])
///     }
/// }
///
/// let both = Both(Request::new("simple-fibonacci", 64), Request::new("quadratic", 16));
/// let [first, second] = Device::open("cpu", Some(1)).unwrap().prove(&both).unwrap();
/// assert_eq!((first.report.rows(), second.report.rows()), (64, 16));
/// # }
/// ```
pub trait Statement<S: ProofSystem> {
    /// The memory and the transfers of a proof.
    type Plan;
    /// A proof that the verifier has accepted.
    type Proven;
    /// The statement on a device.
    type Ready<'a>: Ready<Proven = Self::Proven>
    where
        Self: 'a;

    /// The least that a proof takes on a device. Nothing is proven, and nothing of the size of the statement is
    /// allocated.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    fn plan(&self, device: &Device<S>) -> Result<Self::Plan, Error>;

    /// Makes the statement ready on a device.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    fn ready<'a>(&'a self, device: &'a Device<S>) -> Result<Self::Ready<'a>, Error>;
}

/// A statement that is ready on a device. It serves any number of proofs.
pub trait Ready {
    /// A proof that the verifier has accepted.
    type Proven;

    /// Proves, then verifies the proof; asks `follow` at the beginning of each stage.
    ///
    /// # Errors
    /// Why there is no proof; [`Error::SelfCheck`] and [`Error::Miscomputed`] say that the device computes wrongly.
    fn prove(&self, follow: &Follow<'_>) -> Result<Self::Proven, Error>;
}
