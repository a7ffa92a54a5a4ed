//! Several devices as one, and devices that move tables to the host's memory.

mod sharded;
mod spilled;
