//! A backend's description of itself.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{HashFn, Operation};

/// The properties and abilities of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Name of the backend, e.g. `cpu` or `cuda`; tests assert it.
    pub backend: String,
    /// The device, in words.
    pub device: String,
    /// The operations it has for its protocol.
    pub operations: Vec<Operation>,
    /// The hash functions that [`crate::StarkBackend::merkle`] takes.
    pub hashes: Vec<HashFn>,
    /// Largest log2 height of a column.
    pub max_log_height: u32,
    /// Whether it takes blocks of circle domains that are no prefix ([`crate::Domain::block`]). Blocks of cosets are
    /// cosets.
    pub blocks: bool,
    /// How many requests of a call it works on at once: 1, or more where it is made of several devices. A caller with
    /// several requests that do not wait for each other gives up to this many in one call.
    pub at_once: usize,
    /// Whether an operation that is at work looks at [`crate::CancelToken`] again and again: where a call lasts as long
    /// as the work does. Devices that only enqueue do not.
    pub stops: bool,
}

/// Memory of the device, in bytes. Buffers and trees count; tables that a backend caches (twiddles) count where it can
/// tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// The bytes that a new statement may use. Tables that the backend made before and keeps
    /// ([`crate::Footprint::Kept`]) count as usable, since the statement's plan counts them too. `None` if the backend
    /// cannot tell.
    pub available: Option<u64>,
    /// Held by live buffers and trees of this backend.
    pub in_use: u64,
    /// Highest `in_use` since the backend was created.
    pub peak: u64,
    /// Whether it is the host's memory: data that the host holds for the device, such as a trace, is in it, too.
    pub is_host: bool,
    /// Bytes moved to the host's memory and back so far, because the device is too small for all that is live; `None`
    /// for a backend that moves none and refuses instead. The other figures count tables in the host's memory in
    /// [`Self::available`], [`Self::in_use`] and [`Self::peak`], so that a trace on the host is beside it.
    pub moved: Option<u64>,
}
