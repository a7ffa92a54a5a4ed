//! Several devices as one backend: [`Sharded`] makes of `D = 2, 4, 8, ...` backends of one kind one more, which proves what each of them
//! proves, byte for byte.
//!
//! Tables on extension domains are in storage order, so that block `b` of their rows is a domain of its own ([`gpu_hal::Domain::block`]),
//! closed under the steps of a trace as long as it has enough points. Device `b` has block `b` of every such table: it extends to it,
//! hashes the subtree over it, evaluates constraints and quotients on it and folds it. What crosses is the columns, once, and the
//! digests of the `D` subtrees, of which the host makes the top of the tree.
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
//! | `upload`, `split`, `rows`, and what is made of such tables | the first device |
//! | `grind`, `fri_fold` of small layers | the first device |
//!
//! A table is in blocks only if its blocks are large enough ([`Sharded::with_least_rows`]), at least as high as what was extended (`D` is
//! at most the blowup), and of domains that the devices take ([`gpu_hal::Capabilities::blocks`]). Otherwise it is whole on the first
//! device, and an operation on tables of both kinds moves them: blocks are cut out and joined by `select`, copied by `copy_to`.
//!
//! # Memory
//! All numbers are those of the fullest device, times `D`. Plans are made on shapes of every device ([`gpu_hal::Rehearse`]), so that they
//! know what each of them holds. [`gpu_hal::StarkBackend::footprint`], which is asked about one table without its history, counts it as if
//! the fullest device had all of it.
#![forbid(unsafe_code)]

mod clock;
mod constraints;
mod everywhere;
mod first;
mod footprint;
mod grind;
mod layout;
mod moves;
mod operations;
mod quotients;
mod shapes;
mod sharded;
mod traces;
mod trees;
mod values;

pub use layout::{ShardedBuffer, ShardedProgram};
pub use sharded::Sharded;
pub use trees::ShardedTree;
