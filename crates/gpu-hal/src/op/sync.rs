//! The end of the queue.

use super::*;

op! {
    /// [`crate::StarkBackend::sync`].
    Sync() -> Nothing;

    makes(_) {}
    through(on, _) { on.sync() }
}
