//! Drivers, which open the devices of backends.

use gpu_hal::{CircleStark, ErrorKind, GoldilocksStark, HalError, Protocol as _};

use crate::backend::OpenBackend;
use crate::error::Error;

/// The device of a backend, and the way to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Number of the device, from 0; the first if it isn't said.
    pub device: Option<u32>,
    /// Numbers of several devices, 2, 4, 8, ..., that make each proof together; if there are none, it is the one above.
    /// The processor has as many as it has threads, and these are divided among the named ones.
    pub devices: Vec<u32>,
    /// Bytes of each device that a proof takes at most, with the rest in the host's memory for as long as it is not
    /// used; `u64::MAX` is the device's memory. Without it nothing is moved, and a statement that does not fit is
    /// refused.
    pub spill: Option<u64>,
    /// Threads of the host that a backend on the host's processor uses, all if it isn't said. The reference always uses
    /// one, and other devices have their own.
    pub threads: Option<usize>,
}

impl DeviceOptions {
    /// Refuses devices that can't make a proof together.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.threads == Some(0) {
            return Err(Error::NoThreads);
        }
        let Self { device, devices, .. } = self;
        if let (Some(device), false) = (device, devices.is_empty()) {
            return Err(Error::DeviceAndDevices { device: *device, devices: devices.clone() });
        }
        if !devices.is_empty() && !devices.len().is_power_of_two() {
            return Err(Error::DeviceCount { count: devices.len() });
        }
        match devices.iter().enumerate().find(|(at, number)| devices[..*at].contains(number)) {
            Some((_, number)) => Err(Error::RepeatedDevice { number: *number }),
            None => Ok(()),
        }
    }
}

/// Opens the devices of a backend. A protocol that the backend does not have is left at its default, which refuses.
pub trait Driver: Send + Sync {
    /// Opens a device for the Goldilocks protocol.
    ///
    /// # Errors
    /// [`Error::Backend`] of the kind [`ErrorKind::Unavailable`] if it can't be used on this machine; then `auto` asks
    /// the next backend.
    fn goldilocks(&self, _place: &DeviceOptions) -> Result<OpenBackend<GoldilocksStark>, Error> {
        Err(no_protocol(<GoldilocksStark>::NAME))
    }

    /// Opens a device for the Circle protocol.
    ///
    /// # Errors
    /// As for the other protocol.
    fn circle(&self, _place: &DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> {
        Err(no_protocol(CircleStark::NAME))
    }

    /// Whether it opens several devices as one ([`DeviceOptions::devices`]). One that does not is never asked for
    /// several.
    fn takes_several(&self) -> bool {
        false
    }

    /// Whether it moves tables to the host's memory ([`DeviceOptions::spill`]). One that does not is never asked to.
    fn spills(&self) -> bool {
        false
    }

    /// Names of the devices, by number; none if they are not counted, or if none can be used.
    fn devices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether `auto` may take it.
    fn is_automatic(&self) -> bool {
        true
    }
}

/// A function for each protocol: all that a backend needs whose devices are not counted.
impl<G, C> Driver for (G, C)
where
    G: Fn(&DeviceOptions) -> Result<OpenBackend<GoldilocksStark>, Error> + Send + Sync,
    C: Fn(&DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> + Send + Sync,
{
    fn goldilocks(&self, options: &DeviceOptions) -> Result<OpenBackend<GoldilocksStark>, Error> {
        self.0(options)
    }

    fn circle(&self, options: &DeviceOptions) -> Result<OpenBackend<CircleStark>, Error> {
        self.1(options)
    }
}

pub(crate) fn no_protocol(name: &str) -> Error {
    HalError::new(ErrorKind::Unavailable, "open", format!("the backend does not have the {name} protocol")).into()
}
