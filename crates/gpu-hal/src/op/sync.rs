//! The end of the queue.

use super::*;

op! {
    /// [`crate::StarkBackend::sync`].
    Sync() -> Nothing;

    makes(on) { on.moves(Self::NAME, 0, 0) }
    through(on, _) { on.sync() }
}
