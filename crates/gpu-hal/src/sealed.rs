//! Nothing is a backend but the implementations of the operations.

/// A type that this crate makes a backend.
pub trait Sealed {}

impl<O: crate::Operations> Sealed for O {}
