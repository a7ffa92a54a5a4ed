//! Everything that crosses between a program and a library, except the types of `gpu-hal`. A hash of this file is in
//! the note of a library, so a change here is noticed.

use std::alloc::GlobalAlloc;
use std::fmt;

use gpu_hal::erased::Device;
use gpu_hal::{CancelToken, CircleStark, GoldilocksStark, Result};

/// Number of the contract: of the symbols and of the note's form. Programs and libraries of other numbers do not know
/// each other.
pub(crate) const CONTRACT: u32 = 1;

/// The symbol of the note. It is a C string in each version of the contract.
pub(crate) const NOTE_SYMBOL: &str = "polystark_backend_note";

/// The symbol of the function that [`Entry`] is the type of.
pub(crate) const ENTRY_SYMBOL: &str = "polystark_backend_entry";

/// The function that is called once a library is loaded, and before anything else of it.
pub(crate) type Entry = extern "C" fn(&'static Host) -> &'static Exports;

/// The device of a library to open, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Number of the device, from 0; the first if it is `None`.
    pub device: Option<u32>,
    /// Threads of the host that a backend on the host's processor uses; all if it is `None`.
    pub threads: Option<usize>,
}

/// Opens a device for a protocol.
pub(crate) type Open<P> = fn(&OpenOptions) -> Result<Device<P>>;

/// The entries of a library.
pub struct Exports {
    /// Opens a device for the Goldilocks protocol; `None` if the library does not have it.
    pub goldilocks: Option<Open<GoldilocksStark>>,
    /// Opens a device for the Circle protocol; `None` if the library does not have it.
    pub circle: Option<Open<CircleStark>>,
    /// Names of the devices, by number; none if they are not counted. Devices prove together only if they are.
    pub devices: fn() -> Vec<String>,
}

impl Exports {
    /// Nothing: [`crate::export!`] puts in a library's entries.
    pub const NONE: Self = Self { goldilocks: None, circle: None, devices: Vec::new };
}

impl fmt::Debug for Exports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Exports");
        out.field("goldilocks", &self.goldilocks.is_some()).field("circle", &self.circle.is_some());
        out.finish_non_exhaustive()
    }
}

/// The functions that a program gives to the libraries that it loads.
pub struct Host {
    /// The program's allocator.
    pub(crate) allocator: &'static (dyn GlobalAlloc + Sync),
    /// [`CancelToken::here`] of the program.
    pub(crate) stop_here: fn() -> CancelToken,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}
