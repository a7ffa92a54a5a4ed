//! Several devices as one backend.

mod backend;
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
mod rows;
mod shapes;
mod traces;
mod trees;
mod values;

pub use backend::Sharded;
pub use layout::{ShardedBuffer, ShardedProgram};
pub use trees::ShardedTree;
