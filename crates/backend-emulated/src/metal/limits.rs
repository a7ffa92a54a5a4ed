//! Numbers of Metal.

/// Buffers that a kernel can be given, and the index of its parameter block.
pub(crate) const BUFFERS: usize = 31;

/// The index of a kernel's parameter block.
pub(crate) const PARAMS: usize = 30;
