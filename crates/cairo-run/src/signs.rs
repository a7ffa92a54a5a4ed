//! Signs that a run shows before it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Facts about a run that is under way, for another thread. All clones are of one run.
///
/// Our machine shows them every some ten thousand steps; a run of cairo-vm, or one that is read from a file, shows
/// nothing but that it has begun.
#[derive(Clone, Debug, Default)]
pub struct RunSigns(Arc<Shown>);

#[derive(Debug, Default)]
struct Shown {
    has_begun: AtomicBool,
    uses_pedersen: AtomicBool,
    uses_ec_op: AtomicBool,
    addresses: AtomicU64,
}

impl RunSigns {
    /// The run begins: from now on the memory that is free does not bound it any more.
    pub fn begin(&self) {
        self.0.has_begun.store(true, Ordering::Relaxed);
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.0.has_begun.load(Ordering::Relaxed)
    }

    /// Whether the segment of the Pedersen builtin has a cell.
    pub fn uses_pedersen(&self) -> bool {
        self.0.uses_pedersen.load(Ordering::Relaxed)
    }

    /// Whether the segment of the builtin of the curve has a cell.
    pub fn uses_ec_op(&self) -> bool {
        self.0.uses_ec_op.load(Ordering::Relaxed)
    }

    /// How many addresses it has taken, about.
    pub fn addresses(&self) -> u64 {
        self.0.addresses.load(Ordering::Relaxed)
    }

    /// The run shows how far it is: whether two of its builtins have cells, and its addresses, about.
    pub fn show(&self, uses_pedersen: bool, uses_ec_op: bool, addresses: usize) {
        self.0.uses_pedersen.store(uses_pedersen, Ordering::Relaxed);
        self.0.uses_ec_op.store(uses_ec_op, Ordering::Relaxed);
        self.0.addresses.store(addresses as u64, Ordering::Relaxed);
    }
}
