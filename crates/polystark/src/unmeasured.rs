//! What stands for measurements in a library without the command line.

use gpu_hal::Protocol;

/// Any protocol.
pub trait Measurable {}

impl<P: Protocol> Measurable for P {}
