//! What a proof will take, known before any work.

use std::fmt;

use gpu_hal::Place;

use super::Composition;

/// What a proof will take on the device: at least what it takes, and little more. It is the peak of a rehearsal, in which buffers,
/// trees, and what an operation takes while it runs count as [`gpu_hal::StarkBackend::footprint`] has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Highest sum of live buffers, in bytes.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: Place,
    /// Bytes that the trace takes on its way to the device.
    pub upload_bytes: u64,
    /// How the composition polynomial is evaluated.
    pub composition: Composition,
    /// Log2 of the trace length.
    pub log_trace: u32,
    /// Log2 of the LDE size.
    pub log_lde: u32,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "trace 2^{}, LDE 2^{}, {} MiB on the device ({})",
            self.log_trace,
            self.log_lde,
            self.peak_bytes.div_ceil(1 << 20),
            self.peak_at
        )
    }
}
