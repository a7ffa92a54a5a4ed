//! Drivers, which open the devices of backends.

use gpu_hal::{ErrorKind, HalError, Protocol as _};

use crate::devices::backend::OpenBackend;
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

/// The table of all protocols: hands them to a macro, each as its method of [`Driver`], its type, its letter and its
/// number.
macro_rules! protocols {
    ($then:ident!($($args:tt)*)) => {
        $then! { $($args)*; goldilocks gpu_hal::GoldilocksStark, G 0; circle gpu_hal::CircleStark, C 1 }
    };
}
pub(crate) use protocols;

/// The methods of a [`Driver`] that open devices, by a function that is generic in the protocol; `placed` if it makes
/// one device of several.
macro_rules! opens {
    ($open:path, placed; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
        $(fn $method(&self, options: &DeviceOptions) -> Result<OpenBackend<$protocol>, Error> {
            $open(options, backend_placement::$method())
        })+
    };
    ($open:path; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
        $(fn $method(&self, options: &DeviceOptions) -> Result<OpenBackend<$protocol>, Error> {
            $open(options)
        })+
    };
}
pub(crate) use opens;

macro_rules! declared {
    (; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
        $(
            /// Opens a device of the protocol of this name.
            ///
            /// # Errors
            /// [`Error::Backend`] of the kind [`ErrorKind::Unavailable`] if it can't be used on this machine; then
            /// `auto` asks the next backend.
            fn $method(&self, _options: &DeviceOptions) -> Result<OpenBackend<$protocol>, Error> {
                Err(no_protocol(<$protocol>::NAME))
            }
        )+
    };
}

/// Opens the devices of a backend. A protocol that the backend does not have is left at its default, which refuses.
pub trait Driver: Send + Sync {
    protocols!(declared!());

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

macro_rules! functions {
    (; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
        /// A function for each protocol: all that a backend needs whose devices are not counted.
        impl<$($letter),+> Driver for ($($letter),+)
        where
            $($letter: Fn(&DeviceOptions) -> Result<OpenBackend<$protocol>, Error> + Send + Sync,)+
        {
            $(fn $method(&self, options: &DeviceOptions) -> Result<OpenBackend<$protocol>, Error> {
                self.$number(options)
            })+
        }
    };
}

protocols!(functions!());

pub(crate) fn no_protocol(name: &str) -> Error {
    HalError::new(ErrorKind::Unavailable, "open", format!("the backend does not have the {name} protocol")).into()
}
