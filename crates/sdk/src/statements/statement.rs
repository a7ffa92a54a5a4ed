//! Kinds of statements: an AIR of either proof system, the run of a Cairo program, a client proof. A new kind
//! implements [`Statement`], and [`Ready`] for what that makes ready.

use std::sync::Arc;

use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::device::Device;
use crate::error::Error;
use crate::stage::{Follow, silent};
use crate::system::ProofSystem;

/// A statement of some kind, which devices of a proof system prove. A kind may stand on others:
///
/// ```
/// # #[cfg(feature = "goldilocks")] {
/// use polystark_sdk::goldilocks::{Device, Proven, Request};
/// use polystark_sdk::{Error, Follow, MemoryPlan, Goldilocks3, Ready, ReadyAir, Statement};
///
/// /// Two statements that are proven one after the other.
/// struct Both(Request, Request);
///
/// struct ReadyBoth<'a>(ReadyAir<'a, Goldilocks3>, ReadyAir<'a, Goldilocks3>);
///
/// impl Statement<Goldilocks3> for Both {
///     type Plan = [MemoryPlan; 2];
///     type Proven = [Proven; 2];
///     type Ready<'a> = ReadyBoth<'a>;
///
///     fn plan(&self, device: &Device) -> Result<[MemoryPlan; 2], Error> {
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

impl<S: ProofSystem> Device<S> {
    /// The backend in as few parts as the plan of a statement allows.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn backend_for<T: Statement<S>>(&self, statement: &T) -> Result<&Arc<AnyBackend<S>>, Error> {
        let plan = |backend: &Arc<AnyBackend<S>>| {
            statement.plan(&Self::of(OpenBackend::from(Arc::clone(backend)), self.airs().clone()))
        };
        Ok(self.fitting(plan)?.0)
    }

    /// The least that the proof of a statement takes on this device. Nothing is proven.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn plan<T: Statement<S>>(&self, statement: &T) -> Result<T::Plan, Error> {
        statement.plan(self)
    }

    /// Makes a statement ready.
    ///
    /// # Errors
    /// The reason why it cannot be proven, or the backend's errors.
    pub fn ready<'a, T: Statement<S>>(&'a self, statement: &'a T) -> Result<T::Ready<'a>, Error> {
        statement.ready(self)
    }

    /// Proves a statement, then verifies the proof.
    ///
    /// # Errors
    /// The reason why it cannot be proven; [`Error::SelfCheck`] and [`Error::Miscomputed`] that the backend computes
    /// wrongly.
    pub fn prove<T: Statement<S>>(&self, statement: &T) -> Result<T::Proven, Error> {
        self.prove_with(statement, &silent)
    }

    /// As [`Device::prove`]; `follow` is asked at the beginning of each stage.
    ///
    /// # Errors
    /// The errors of [`Device::prove`].
    pub fn prove_with<T: Statement<S>>(&self, statement: &T, follow: &Follow<'_>) -> Result<T::Proven, Error> {
        statement.ready(self)?.prove(follow)
    }
}
