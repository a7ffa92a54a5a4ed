//! The objects of Metal that the layer keeps.

use objc2::rc::Retained;
use objc2::runtime::ProtocolObject;
use objc2_metal::{MTLBuffer, MTLCommandQueue, MTLComputePipelineState, MTLDevice, MTLEvent, MTLLibrary};

use crate::layer::Facts;

/// An object of Metal, counted.
pub(super) type Object<T> = Retained<ProtocolObject<T>>;

/// A GPU of Metal with two queues, and an event of each.
pub struct AppleLayer {
    pub(super) device: Object<dyn MTLDevice>,
    pub(super) queues: [Object<dyn MTLCommandQueue>; 2],
    pub(super) events: [Object<dyn MTLEvent>; 2],
    pub(super) facts: Facts,
}

/// A buffer of Metal.
pub struct AppleBuffer(pub(super) Object<dyn MTLBuffer>);

// SAFETY: Metal's resources may be named by commands of several threads; the host's side of a shared one is used under
// the contract of `Layer`.
unsafe impl Send for AppleBuffer {}
// SAFETY: as above.
unsafe impl Sync for AppleBuffer {}

/// A compiled source.
pub struct AppleLibrary(pub(super) Object<dyn MTLLibrary>);

/// An entry point, ready to run.
pub struct ApplePipeline(pub(super) Object<dyn MTLComputePipelineState>);
