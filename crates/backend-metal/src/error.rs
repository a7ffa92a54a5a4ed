//! Metal's failures as errors of the layer above.

use gpu_hal::{ErrorKind, HalError};

/// `MTLCommandBufferError` by number: the kind says whether the device stays usable, the text says its meaning.
const MEANINGS: [(i64, ErrorKind, &str); 8] = [
    (1, ErrorKind::DeviceLost, "internal error"),
    (2, ErrorKind::DeviceLost, "the system ended it: it ran for too long"),
    (3, ErrorKind::DeviceLost, "access outside of its buffers"),
    (4, ErrorKind::DeviceLost, "access to the GPU was revoked"),
    (7, ErrorKind::DeviceLost, "not permitted, as for a program in the background"),
    (8, ErrorKind::OutOfMemory, "the buffers do not fit the GPU's memory at one time"),
    (9, ErrorKind::Backend, "a resource that is not valid"),
    (11, ErrorKind::DeviceLost, "the GPU was removed"),
];

/// A command buffer that failed.
pub(crate) fn failed(code: i64, detail: &str) -> HalError {
    let known = MEANINGS.iter().find(|(number, ..)| *number == code);
    let (kind, meaning) = known.map_or((ErrorKind::Backend, "unknown error"), |(_, kind, meaning)| (*kind, *meaning));
    HalError::new(kind, "commands", format!("Metal's error {code}, {meaning}: {detail}"))
}

/// Memory that there is not.
pub(crate) fn no_memory(bytes: u64) -> HalError {
    HalError::new(ErrorKind::OutOfMemory, "alloc", format!("Metal has no buffer of {bytes} bytes"))
}

/// A source or an entry point that Metal does not take.
pub(crate) fn build(name: &str, words: &str) -> HalError {
    HalError::new(ErrorKind::KernelBuild, "build kernel", format!("Metal does not compile '{name}':\n{words}"))
}

/// A request that no kernel and no copy may make.
pub(crate) fn refused(op: &'static str, detail: String) -> HalError {
    HalError::new(ErrorKind::Backend, op, detail)
}

/// The device is of no use any more.
pub(crate) fn lost(detail: String) -> HalError {
    HalError::new(ErrorKind::DeviceLost, "commands", detail)
}
