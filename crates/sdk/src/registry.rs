//! The backends and AIRs of a program, by name.

use std::fmt;

use gpu_hal::{Capabilities, ErrorKind, HalError, MemoryInfo};

use crate::airs::{Airs, Family};
use crate::device::Device;
#[cfg(feature = "libraries")]
use crate::drivers::{Loaded, is_library};
use crate::error::Error;
use crate::system::ProofSystem;
use crate::{drivers, memory};

/// The name that stands for the first backend that can be used.
const AUTO: &str = "auto";

/// The device of a backend, and the way to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
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

impl Place {
    /// Refuses devices that can't make a proof together.
    fn check(&self) -> Result<(), Error> {
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
    #[cfg(feature = "goldilocks")]
    fn goldilocks(&self, _place: &Place) -> Result<crate::goldilocks::Device, Error> {
        Err(no_protocol("goldilocks"))
    }

    /// Opens a device for the Circle protocol.
    ///
    /// # Errors
    /// As for the other protocol.
    #[cfg(feature = "circle")]
    fn circle(&self, _place: &Place) -> Result<crate::circle::Device, Error> {
        Err(no_protocol("circle"))
    }

    /// Whether it opens several devices as one ([`Place::devices`]). One that does not is never asked for several.
    fn takes_several(&self) -> bool {
        false
    }

    /// Whether it moves tables to the host's memory ([`Place::spill`]). One that does not is never asked to.
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
#[cfg(all(feature = "circle", feature = "goldilocks"))]
impl<G, C> Driver for (G, C)
where
    G: Fn(&Place) -> Result<crate::goldilocks::Device, Error> + Send + Sync,
    C: Fn(&Place) -> Result<crate::circle::Device, Error> + Send + Sync,
{
    fn goldilocks(&self, place: &Place) -> Result<crate::goldilocks::Device, Error> {
        self.0(place)
    }

    fn circle(&self, place: &Place) -> Result<crate::circle::Device, Error> {
        self.1(place)
    }
}

pub(crate) fn no_protocol(name: &str) -> Error {
    HalError::new(ErrorKind::Unavailable, "open", format!("the backend does not have the {name} protocol")).into()
}

/// The backends of a program by name, the preferred one first, and the AIRs of both protocols.
pub struct Registry {
    backends: Vec<(String, Box<dyn Driver>)>,
    pub(crate) airs: AllAirs,
}

/// The AIRs of each protocol.
#[derive(Debug, Default)]
pub(crate) struct AllAirs {
    #[cfg(feature = "goldilocks")]
    pub(crate) goldilocks: crate::goldilocks::Airs,
    #[cfg(feature = "circle")]
    pub(crate) circle: crate::circle::Airs,
}

/// The state of a backend on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Its name.
    pub name: String,
    /// Whether `auto` may take it.
    pub is_automatic: bool,
    /// Names of its devices, by number; none if they are not counted.
    pub devices: Vec<String>,
    /// Its properties, or the reason why it cannot be used; of the first device.
    pub state: Result<(Capabilities, MemoryInfo), String>,
    /// Memory that a statement may use, in bytes, if anyone can tell: the backend or the host that it runs on.
    pub available_memory: Option<u64>,
}

impl<F: ProofSystem> Device<F> {
    /// A device of a backend of this program, see [`Registry::open`]; `threads` is how many threads of the host a
    /// backend on the host's processor uses.
    ///
    /// # Errors
    /// The errors of [`Registry::open`].
    pub fn open(name: &str, threads: Option<usize>) -> Result<Self, Error> {
        Registry::default().open(name, &Place { threads, ..Place::default() })
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Registry");
        out.field("backends", &self.names().collect::<Vec<_>>());
        out.field("airs", &self.airs).finish()
    }
}

impl Default for Registry {
    /// [`Registry::shipped`].
    fn default() -> Self {
        Self::shipped()
    }
}

impl Registry {
    /// The backends `cuda`, `cpu`, `cpu-reference`, on Apple's systems before them `metal`; and the AIRs that come with
    /// Polystark. Without the feature `cuda` there is none of that name, without `cli` no `cpu-reference`.
    pub fn shipped() -> Self {
        drivers::add_all(Self { backends: Vec::new(), airs: AllAirs::default() })
    }

    /// The same and one more AIR, of whichever protocol. It takes the place of one of the same name.
    #[must_use]
    pub fn with_air<F: ProofSystem>(mut self, family: Family<F>) -> Self {
        let airs = F::airs_mut(&mut self);
        *airs = std::mem::replace(airs, Airs::none()).with(family);
        self
    }

    /// The AIRs of a protocol.
    pub fn airs<F: ProofSystem>(&self) -> &Airs<F> {
        F::airs(self)
    }

    /// The same and one more backend, which `auto` asks before the others. It takes the place of one of the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, driver: impl Driver + 'static) -> Self {
        let name = name.into();
        self.backends.retain(|(known, _)| *known != name);
        self.backends.insert(0, (name, Box::new(driver)));
        self
    }

    /// The names, the preferred one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.backends.iter().map(|(name, _)| name.as_str())
    }

    /// Opens a device of the backend of that name, with the AIRs in here. `NAME:N` is its device number N; `auto` is
    /// the first backend that can be used.
    ///
    /// With the feature `libraries` a name with a `/`, or one that ends in `.so`, `.dylib` or `.dll`, is the path of a
    /// shared library that has the backend. It is trusted code, which runs with all rights of the program.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`], `Error::Library` for a path, [`Error::NoThreads`], [`Error::TwoDevices`], errors of
    /// several devices ([`Error::DeviceCount`], [`Error::RepeatedDevice`], [`Error::DeviceAndDevices`],
    /// [`Error::OneDevice`], `Error::LibraryDevice`), [`Error::NoSpill`], or [`Error::Backend`] if it cannot be used on
    /// this machine.
    pub fn open<F: ProofSystem>(&self, name: &str, place: &Place) -> Result<Device<F>, Error> {
        let whole = name;
        let (name, number) = match whole.rsplit_once(':').map(|(name, number)| (name, number.parse::<u32>())) {
            Some((name, Ok(number))) => (name, Some(number)),
            _ => (whole, None),
        };
        let device = match (number, place.device) {
            (Some(one), Some(other)) if one != other => return Err(Error::TwoDevices { one, other }),
            (number, device) => number.or(device),
        };
        let place = Place { device, ..place.clone() };
        place.check()?;
        let device = match name {
            AUTO => self.first(&place)?,
            name => self.with_driver(name, whole, |driver| opened(name, driver, &place))?,
        };
        Ok(device.with_airs(self.airs().clone()))
    }

    /// Calls a function with the driver of a name, or of the library at a path. `asked` is the caller's request.
    fn with_driver<R>(
        &self,
        name: &str,
        asked: &str,
        then: impl FnOnce(&dyn Driver) -> Result<R, Error>,
    ) -> Result<R, Error> {
        #[cfg(feature = "libraries")]
        if is_library(name) {
            return then(&Loaded::load(name)?);
        }
        let unknown =
            || Error::UnknownBackend { name: asked.to_owned(), known: self.names().map(str::to_owned).collect() };
        let (_, driver) = self.backends.iter().find(|(known, _)| known == name).ok_or_else(unknown)?;
        then(&**driver)
    }

    /// The first backend that can be used; if there is none, why the preferred one can't be.
    fn first<F: ProofSystem>(&self, place: &Place) -> Result<Device<F>, Error> {
        let mut refused = None;
        for (name, driver) in self.backends.iter().filter(|(_, driver)| driver.is_automatic()) {
            match opened(name, &**driver, place) {
                // It can't be used here: that is what `auto` asks. Anything else is trouble that the caller must see.
                Err(Error::Backend(error)) if error.kind == ErrorKind::Unavailable => {
                    tracing::debug!(%error, "{name} can't be used, the next backend is asked");
                    refused.get_or_insert(error);
                }
                opened => return opened,
            }
        }
        Err(refused.map_or_else(|| no_protocol(F::NAME), Error::Backend))
    }

    /// All backends and their state on this machine.
    pub fn available(&self) -> Vec<Availability> {
        self.backends.iter().map(|(name, driver)| Availability::of(name, &**driver)).collect()
    }

    /// The backend of a name, or of the library at a path, as it is on this machine.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`], or `Error::Library`.
    pub fn availability(&self, name: &str) -> Result<Availability, Error> {
        self.with_driver(name, name, |driver| Ok(Availability::of(name, driver)))
    }
}

/// A device of a backend, or several as one.
fn opened<F: ProofSystem>(name: &str, driver: &dyn Driver, place: &Place) -> Result<Device<F>, Error> {
    if !place.devices.is_empty() && !driver.takes_several() {
        return Err(Error::OneDevice { name: name.to_owned() });
    }
    if place.spill.is_some() && !driver.spills() {
        return Err(Error::NoSpill { name: name.to_owned() });
    }
    F::open(driver, place)
}

impl Availability {
    fn of(name: &str, driver: &dyn Driver) -> Self {
        fn ask<F: ProofSystem>(driver: &dyn Driver) -> Result<(Capabilities, MemoryInfo), Error> {
            let device = F::open(driver, &Place::default())?;
            Ok((device.capabilities().clone(), device.memory()?))
        }
        // A backend may have one protocol only.
        let protocols = [
            #[cfg(feature = "goldilocks")]
            ask::<crate::Goldilocks3>,
            #[cfg(feature = "circle")]
            ask::<gpu_hal::CircleStark>,
        ];
        let [first, others @ ..] = protocols;
        let asked =
            others.iter().fold(first(driver), |asked, ask| asked.or_else(|error| ask(driver).map_err(|_| error)));
        let available = asked.as_ref().ok().map(|(_, memory)| memory.available.or_else(memory::host_memory));
        Self {
            name: name.to_owned(),
            is_automatic: driver.is_automatic(),
            devices: driver.devices(),
            available_memory: available.flatten(),
            state: asked.map_err(|error| error.to_string()),
        }
    }
}
