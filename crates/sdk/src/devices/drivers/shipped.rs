//! The backends that come with Polystark, by name.

use super::processor;
use crate::devices::driver::Driver;
use crate::error::Error;

/// All of them, the preferred one first.
pub(crate) fn shipped() -> Vec<(String, Box<dyn Driver>)> {
    vec![
        #[cfg(target_vendor = "apple")]
        (backend_metal::NAME.to_owned(), Box::new(super::metal::Metal)),
        #[cfg(feature = "cuda")]
        ("cuda".to_owned(), Box::new(super::cuda::Cuda)),
        ("cpu".to_owned(), Box::new(processor::Processor)),
        #[cfg(feature = "reference")]
        ("cpu-reference".to_owned(), Box::new(super::reference::Reference)),
    ]
}

/// The driver of the library at a path, if the name of a backend is a path, and programs load libraries.
pub(crate) fn of_library(_name: &str) -> Option<Result<Box<dyn Driver>, Error>> {
    #[cfg(feature = "libraries")]
    if super::library::is_library(_name) {
        return Some(super::library::LibraryDriver::load(_name).map(|driver| Box::new(driver) as _));
    }
    None
}
