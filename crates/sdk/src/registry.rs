//! The backends and AIRs of a program, by name.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

use gpu_hal::{Capabilities, ErrorKind, MemoryInfo, Protocol, StarkBackend as _};

use crate::airs::{Airs, Family};
use crate::devices::backend::OpenBackend;
use crate::devices::device::Device;
use crate::devices::driver::{DeviceOptions, Driver, no_protocol, protocols};
use crate::devices::{drivers, memory};
use crate::error::Error;
use crate::system::ProofSystem;

/// The name that stands for the first backend that can be used.
const AUTO: &str = "auto";

/// The backends of a program by name, the preferred one first, and the AIRs of each proof system.
pub struct Registry {
    backends: Vec<(String, Box<dyn Driver>)>,
    /// [`Airs`] of proof systems that have more than the shipped ones.
    airs: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
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
        Registry::default().open(name, &DeviceOptions { threads, ..DeviceOptions::default() })
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Registry");
        out.field("backends", &self.names().collect::<Vec<_>>()).finish_non_exhaustive()
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
    /// Polystark. Without the feature `cuda` there is none of that name, without `reference` no `cpu-reference`.
    pub fn shipped() -> Self {
        Self { backends: drivers::shipped(), airs: HashMap::new() }
    }

    /// The same and one more AIR, of whichever protocol. It takes the place of one of the same name.
    #[must_use]
    pub fn with_air<F: ProofSystem>(mut self, family: Family<F>) -> Self {
        let airs = self.airs().with(family);
        self.airs.insert(TypeId::of::<F>(), Box::new(airs));
        self
    }

    /// The AIRs of a proof system.
    pub fn airs<F: ProofSystem>(&self) -> Airs<F> {
        self.airs.get(&TypeId::of::<F>()).and_then(|airs| airs.downcast_ref::<Airs<F>>()).cloned().unwrap_or_default()
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
    /// [`Error::UnknownBackend`], `LibraryError` for a path, [`Error::NoThreads`], [`Error::TwoDevices`], errors of
    /// several devices ([`Error::DeviceCount`], [`Error::RepeatedDevice`], [`Error::DeviceAndDevices`],
    /// [`Error::OneDevice`]), [`Error::NoSpill`], or [`Error::Backend`] if it cannot be used on
    /// this machine.
    pub fn open<F: ProofSystem>(&self, name: &str, options: &DeviceOptions) -> Result<Device<F>, Error> {
        let whole = name;
        let (name, number) = match whole.rsplit_once(':').map(|(name, number)| (name, number.parse::<u32>())) {
            Some((name, Ok(number))) => (name, Some(number)),
            _ => (whole, None),
        };
        let device = match (number, options.device) {
            (Some(one), Some(other)) if one != other => return Err(Error::TwoDevices { one, other }),
            (number, device) => number.or(device),
        };
        let options = DeviceOptions { device, ..options.clone() };
        options.check()?;
        let backend = match name {
            AUTO => self.first::<F>(&options)?,
            name => self.with_driver(name, whole, |driver| opened::<F>(name, driver, &options))?,
        };
        Ok(Device::of(backend, self.airs()))
    }

    /// Calls a function with the driver of a name, or of the library at a path. `asked` is the caller's request.
    fn with_driver<R>(
        &self,
        name: &str,
        asked: &str,
        then: impl FnOnce(&dyn Driver) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if let Some(driver) = drivers::of_library(name) {
            return then(&*driver?);
        }
        let unknown =
            || Error::UnknownBackend { name: asked.to_owned(), known: self.names().map(str::to_owned).collect() };
        let (_, driver) = self.backends.iter().find(|(known, _)| known == name).ok_or_else(unknown)?;
        then(&**driver)
    }

    /// The first backend that can be used; if there is none, why the preferred one can't be.
    fn first<F: ProofSystem>(&self, options: &DeviceOptions) -> Result<OpenBackend<F>, Error> {
        let mut refused = None;
        for (name, driver) in self.backends.iter().filter(|(_, driver)| driver.is_automatic()) {
            match opened::<F>(name, &**driver, options) {
                // It can't be used here, which is all that `auto` asks. Anything else is trouble that the caller must
                // see.
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
    /// [`Error::UnknownBackend`], or `LibraryError`.
    pub fn availability(&self, name: &str) -> Result<Availability, Error> {
        self.with_driver(name, name, |driver| Ok(Availability::of(name, driver)))
    }
}

/// A device of a backend, or several as one.
fn opened<F: ProofSystem>(name: &str, driver: &dyn Driver, options: &DeviceOptions) -> Result<OpenBackend<F>, Error> {
    if !options.devices.is_empty() && !driver.takes_several() {
        return Err(Error::OneDevice { name: name.to_owned() });
    }
    if options.spill.is_some() && !driver.spills() {
        return Err(Error::NoSpill { name: name.to_owned() });
    }
    F::open(driver, options)
}

impl Availability {
    fn of(name: &str, driver: &dyn Driver) -> Self {
        type State = Result<(Capabilities, MemoryInfo), Error>;
        fn state<P: Protocol>(backend: &OpenBackend<P>) -> State {
            Ok((backend.whole().capabilities().clone(), backend.whole().memory()?))
        }
        macro_rules! all {
            (; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
                [$(|driver: &dyn Driver| driver.$method(&DeviceOptions::default()).and_then(|backend| state(&backend))),+]
            };
        }
        // A backend may have one protocol only. If it can be used for none, the first says why.
        let ask: &[fn(&dyn Driver) -> State] = &protocols!(all!());
        let mut others = ask[1..].iter().map(|ask| ask(driver));
        let asked = ask[0](driver).or_else(|error| others.find(Result::is_ok).unwrap_or(Err(error)));
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
