//! What leaves a device for a while, because others need its memory.

use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

use crate::{ErrorKind, HalError, Result};

/// A table or a tree in the host's memory, in whatever form its backend keeps it there.
pub struct Stash(Box<dyn Any + Send + Sync>);

impl Stash {
    /// Keeps this.
    pub fn new<S: Any + Send + Sync>(kept: S) -> Self {
        Self(Box::new(kept))
    }

    /// What is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Backend`] if it is of another type: the stash is another backend's.
    pub fn get<S: Any>(&self) -> Result<&S> {
        let foreign = || HalError::new(ErrorKind::Backend, "restore", "the stash is of another backend");
        self.0.downcast_ref().ok_or_else(foreign)
    }
}

impl fmt::Debug for Stash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stash")
    }
}
