//! Statements larger than the device: [`Spilled`] makes of a backend one whose tables and trees are on the device or in the host's memory.
//!
//! Before an operation runs, what it reads is brought to the device, and as much else is moved to the host as makes room for that, for what
//! the operation makes, and for what it takes meanwhile ([`gpu_hal::Footprint`]): what was used longest ago first. A table is in one of the
//! two places. Results are those of the backend alone, byte for byte; what it costs is the bytes that are moved, which a plan knows.
//!
//! What one operation takes at once must fit the device. Where it does not, [`Spilled::parts`] gives `K = 2, 4, ...` backends that are
//! parts of one device, for `backend_sharded::Sharded::of_parts`: each has a `K`-th of every extended table, and an operation on one of
//! them takes little more than a `K`-th of the memory. Parts share the backend, its limit and one order of use; a table that one hands to
//! another is not copied. Several devices that move tables, each in parts or not, are a `backend_sharded::Sharded::in_parts`.
//!
//! [`Spilled::through`] is the backend as it is, at no cost: it moves nothing, and what does not fit is refused. So a program compiles its
//! provers once.
//!
//! # Memory
//! [`gpu_hal::MemoryInfo`] counts device and host together. The limit on the device holds at every moment, what operations take meanwhile
//! included, as far as [`gpu_hal::StarkBackend::footprint`] tells the truth. Plans go through the very same moves on shapes. Proofs at the
//! same time share the order of use.
//!
//! # Errors
//! [`gpu_hal::ErrorKind::OutOfMemory`] if an operation takes more at once than there is, before anything is moved. After any error tables
//! are valid, wherever they are.
#![forbid(unsafe_code)]

mod copies;
mod held;
mod openings;
mod operations;
mod room;
mod session;
mod shapes;
mod spilled;

pub use held::{SpilledBuffer, SpilledTree};
pub use spilled::{HostMemory, Spilled};
