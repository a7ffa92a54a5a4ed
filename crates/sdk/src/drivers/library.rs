//! A backend in a shared library.

use std::path::is_separator;
use std::sync::Arc;

use backend_library::{Library, OpenOptions};
use gpu_hal::HalError;

use crate::device::{Backend, Device};
use crate::error::Error;
use crate::registry::{Driver, Place, no_protocol};
use crate::system::ProofSystem;

/// Whether the name of a backend is the path of a library.
pub(crate) fn is_library(name: &str) -> bool {
    name.contains(is_separator) || [".so", ".dylib", ".dll"].iter().any(|ending| name.ends_with(ending))
}

/// The driver of a library.
pub(crate) struct Loaded(Library);

impl Loaded {
    /// Loads the library at a path, which runs it.
    ///
    /// # Errors
    /// [`Error::Library`] if it is no backend of this program.
    pub(crate) fn load(path: &str) -> Result<Self, Error> {
        Library::load(path).map(Self).map_err(|error| Error::Library(Box::new(error)))
    }
}

/// Opens a device of a protocol in a library.
type Open<F> = fn(&OpenOptions) -> Result<Backend<F>, HalError>;

/// Opens a device of a protocol, if the library has that.
fn open<F: ProofSystem>(open: Option<Open<F>>, place: &Place) -> Result<Device<F>, Error> {
    let open = open.ok_or_else(|| no_protocol(F::NAME))?;
    Ok(Arc::new(open(&OpenOptions { device: place.device, threads: place.threads })?).into())
}

impl Driver for Loaded {
    #[cfg(feature = "goldilocks")]
    fn goldilocks(&self, place: &Place) -> Result<crate::goldilocks::Device, Error> {
        open(self.0.exports().goldilocks, place)
    }

    #[cfg(feature = "circle")]
    fn circle(&self, place: &Place) -> Result<crate::circle::Device, Error> {
        open(self.0.exports().circle, place)
    }

    fn devices(&self) -> Vec<String> {
        (self.0.exports().devices)()
    }

    fn is_automatic(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::is_library;

    #[test]
    fn names_are_no_paths() {
        for path in ["./libmine.so", "libmine.so", "libmine.dylib", "mine.dll", "folder/mine", "/opt/mine"] {
            assert!(is_library(path), "{path}");
        }
        for name in ["auto", "cpu", "cuda:1", "cpu-reference", "my.so.backend", "so", ""] {
            assert!(!is_library(name), "{name}");
        }
    }
}
