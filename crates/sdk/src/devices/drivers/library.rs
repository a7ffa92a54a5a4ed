//! A backend in a shared library.

use std::path::is_separator;

use backend_library::{Library, LoadError, OpenOptions};
use backend_placement::Placer;
use gpu_hal::{HalError, Protocol};

use super::together;
use crate::devices::backend::{AnyBackend, OpenBackend};
use crate::devices::driver::{DeviceOptions, Driver, no_protocol, protocols};
use crate::error::{Class, Error, KindError};

/// Why a library is not used as a backend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// A file is not used as a backend.
    #[error(transparent)]
    Load(LoadError),
    /// A device of several that a backend library does not have.
    #[error(
        "the backend library {path:?} has no device {number}, which is asked for with others (`--devices`): {}",
        numbered(*count)
    )]
    Device {
        /// The path of the library.
        path: String,
        /// The number of the device.
        number: u32,
        /// How many devices the library numbers.
        count: usize,
    },
}

impl KindError for LibraryError {
    fn class(&self) -> Class {
        Class::Input
    }
}

/// The remedy for a library that numbers `count` devices.
fn numbered(count: usize) -> String {
    match count {
        0 => "it numbers none, so take it without `--devices`; its author numbers them by `devices: names` in \
              `backend_library::export!`"
            .to_owned(),
        1 => "it has device 0 alone: take it without `--devices`".to_owned(),
        count => format!("it has {count}, counted from 0: take 2, 4, 8 or another power of two of them"),
    }
}

/// Whether the name of a backend is the path of a library.
pub(crate) fn is_library(name: &str) -> bool {
    name.contains(is_separator) || [".so", ".dylib", ".dll"].iter().any(|ending| name.ends_with(ending))
}

/// The driver of a library.
pub(crate) struct LibraryDriver {
    path: String,
    library: Library,
}

/// Opens a device of a protocol in a library.
type Open<P> = fn(&OpenOptions) -> Result<AnyBackend<P>, HalError>;

impl LibraryDriver {
    /// Loads the library at a path, which runs it.
    ///
    /// # Errors
    /// [`LibraryError::Load`] if it is no backend of this program.
    pub(crate) fn load(path: &str) -> Result<Self, Error> {
        let library = Library::load(path).map_err(LibraryError::Load)?;
        Ok(Self { path: path.to_owned(), library })
    }

    /// Opens devices of a protocol, if the library has that.
    fn open<P: Protocol>(
        &self,
        open: Option<Open<P>>,
        options: &DeviceOptions,
        placer: Placer<P>,
    ) -> Result<OpenBackend<P>, Error> {
        let open = open.ok_or_else(|| no_protocol(P::NAME))?;
        if let Some((number, count)) = missing(&options.devices, || self.devices().len()) {
            return Err(LibraryError::Device { path: self.path.clone(), number, count }.into());
        }
        let device = |number| open(&OpenOptions { device: Some(number), threads: options.threads });
        Ok(together(options, placer, device)?)
    }
}

/// The first number that is no device of a library, and how many devices the library numbers. A library that numbers
/// none has device 0: it may give the same device for every other number.
fn missing(numbers: &[u32], count: impl FnOnce() -> usize) -> Option<(u32, usize)> {
    let count = if numbers.is_empty() { return None } else { count() };
    numbers.iter().find(|number| **number as usize >= count.max(1)).map(|number| (*number, count))
}

macro_rules! exported {
    (; $($method:ident $protocol:ty, $letter:ident $number:tt);+) => {
        $(fn $method(&self, options: &DeviceOptions) -> Result<OpenBackend<$protocol>, Error> {
            self.open(self.library.exports().$method, options, backend_placement::$method())
        })+
    };
}

impl Driver for LibraryDriver {
    protocols!(exported!());

    fn takes_several(&self) -> bool {
        true
    }

    fn spills(&self) -> bool {
        true
    }

    fn devices(&self) -> Vec<String> {
        (self.library.exports().devices)()
    }

    fn is_automatic(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{is_library, missing};

    #[test]
    fn names_are_no_paths() {
        for path in ["./libmine.so", "libmine.so", "libmine.dylib", "mine.dll", "folder/mine", "/opt/mine"] {
            assert!(is_library(path), "{path}");
        }
        for name in ["auto", "cpu", "cuda:1", "cpu-reference", "my.so.backend", "so", ""] {
            assert!(!is_library(name), "{name}");
        }
    }

    #[test]
    fn devices_that_a_library_does_not_number_are_missing() {
        assert_eq!(missing(&[], || unreachable!("one device is asked for")), None);
        for (numbers, count, expected) in [
            (&[0, 1][..], 2, None),
            (&[1, 2], 2, Some((2, 2))),
            (&[0], 0, None),
            (&[0, 1], 0, Some((1, 0))),
            (&[1, 0], 1, Some((1, 1))),
        ] {
            assert_eq!(missing(numbers, || count), expected, "{numbers:?} of {count}");
        }
    }
}
