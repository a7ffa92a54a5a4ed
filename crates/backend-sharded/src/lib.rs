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
//! | `lde`, `upload_lde` | every device interpolates all columns and evaluates them on its block |
//! | `merkle`, `open` | every device its subtree; the `D - 1` nodes above are hashed on the host |
//! | `constraint_eval` | as many devices as there are parts of the points that are closed under the steps of the trace, each its part; requests of one such part, as on a circle, are dealt out |
//! | `fri_fold` of large layers, `select`, `accumulate`, `download` | every device its block |
//! | `deep_quotient` | every device its part of the points: of a prefix on a circle it is brought the rows; the first device where a table is too low |
//! | `eval_at` of extensions | every device some of the points, from its block, which fixes the polynomials as well; of other tables the first device |
//! | tables in row order: `upload`, `ntt`, `split`, `running` and all that makes traces | the first device |
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

mod constraints;
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
