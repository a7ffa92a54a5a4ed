//! Backends around others that say where tables are: [`Sharded`] makes one backend of several devices, [`Spilled`]
//! moves tables to the host's memory and back. Proofs equal the proofs of one device that has enough memory, byte for
//! byte.
//!
//! # Several devices
//! [`Sharded`] is made of `D = 2, 4, 8, ...` backends of one kind. Tables on extension domains are in storage order, so
//! block `b` of their rows is a domain of its own ([`gpu_hal::Domain::block`]), closed under the steps of a trace as
//! long as it has enough points. Device `b` has block `b` of every such table: it extends to it, hashes the subtree
//! over it, evaluates constraints and quotients on it and folds it. The columns cross, once, and the digests of the `D`
//! subtrees, of which the host makes the top of the tree.
//!
//! | operation | where it runs |
//! |---|---|
//! | traces; `ntt`, `select`, `running` of tables that every device has | every device all of it, for itself |
//! | `lde` | every device all columns on its block; of a table that all have each interpolates some columns for all, if there are many |
//! | `upload_lde` | every device interpolates all columns and evaluates them on its block |
//! | `merkle`, `open` | every device its subtree; the `D - 1` nodes above are hashed on the host |
//! | `constraint_eval` | as many devices as there are parts of the points that are closed under the steps that the constraints take, each its part; requests of one such part, as on a circle, are dealt out |
//! | `fri_fold` of large layers, `select`, `accumulate`, `download` | every device its block |
//! | `deep_quotient` | on a coset every device its block; on a circle at first points of its own block, for its part of the extension |
//! | `eval_at` of extensions, and of tables that every device has | every device some of the points |
//! | `upload`, `split`, `rows`, and operations on such tables | the first device |
//! | `grind`, `fri_fold` of small layers | the first device |
//!
//! A table is in blocks only if its blocks are large enough (2^12 rows), at least as high as the
//! extended table (`D` is at most the blowup), and of domains that the devices take
//! ([`gpu_hal::Capabilities::blocks`]). Otherwise it is whole on the first device, and an operation on tables of both
//! kinds moves them: blocks are cut out and joined by `select`, copied by `copy_to`.
//!
//! All numbers of memory are the fullest device's, times `D`. Plans are made on shapes of every device
//! ([`gpu_hal::Rehearse`]), so they know the tables on each of them. [`gpu_hal::StarkBackend::footprint`], which is
//! asked about one table without its history, counts it as if the fullest device had all of it.
//!
//! # Statements larger than the device
//! Before an operation of [`Spilled`] runs, its arguments are brought to the device, and the tables that were used
//! longest ago go to the host, until there is room for the arguments, for the results, and for the memory that the
//! operation takes meanwhile ([`gpu_hal::Footprint`]). A table is in one of the two places. The cost is the bytes that
//! are moved, which a plan knows.
//!
//! The needs of one operation must fit the device. Where they do not, [`Spilled::parts`] cuts each device into
//! `K = 2, 4, ...` parts, which are blocks as devices are: each has a `K`-th of every extended table, and an operation
//! on one of them takes little more than a `K`-th of the memory. Parts share the backend, its limit and one order of
//! use; a table that one hands to another is not copied.
//!
//! [`gpu_hal::MemoryInfo`] counts device and host together. The limit on the device holds at every moment, with what
//! operations take meanwhile, as far as [`gpu_hal::StarkBackend::footprint`] tells the truth. Plans go through the very
//! same moves on shapes. Proofs at the same time share the order of use. If an operation takes more at once than there
//! is, the error is [`gpu_hal::ErrorKind::OutOfMemory`], and nothing was moved. After any error tables are valid,
//! wherever they are.
#![forbid(unsafe_code)]

mod placer;
mod sharded;
mod spilled;

pub use placer::{Placer, circle, goldilocks};
pub use sharded::{Sharded, ShardedBuffer, ShardedProgram, ShardedTree};
pub use spilled::{HostMemory, Spilled, SpilledBuffer, SpilledTree};
