//! The operations of the fast backend, one a file. Each takes checked arguments, works through tasks of a few thousand rows
//! with scratch of bounded size, and gives the same bytes for any number of threads and any vector instructions.

pub(super) mod blocks;
pub(super) mod constraints;
pub(super) mod copy;
pub(super) mod deep;
pub(super) mod eval_at;
pub(super) mod fold;
mod interpreter;
mod inverse;
mod lanes;
mod loads;
pub(super) mod nodes;
mod points;
pub(super) mod recurrence;
pub(super) mod running;
pub(super) mod transform;
pub(super) mod tree;

pub(crate) use lanes::LaneField;
