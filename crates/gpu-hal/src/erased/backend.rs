//! The backend inside.

use std::sync::Arc;

use crate::StarkBackend;

/// A backend as a value without its type.
pub(super) struct ErasedBackend<B>(pub(super) Arc<B>);

impl<B: StarkBackend> ErasedBackend<B> {
    pub(super) fn raw(&self) -> &B::Raw {
        self.0.raw()
    }
}
