//! The resources of a statement's proofs, known before any work.

use std::fmt;

use gpu_hal::rehearsal::{PeakLocation, Spill};

use super::keep::{Keep, Recomputed};
use crate::memory::Need;

/// The device memory that a statement's proofs take: at least as much as they take, and little more. It is the peak of
/// a rehearsal, in which buffers, trees, and the working memory of an operation count as
/// [`gpu_hal::StarkBackend::footprint`] has them; openings count as many as there can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Highest sum of live buffers while a proof is made, in bytes, tables kept between proofs included.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: PeakLocation,
    /// The bytes moved to the host's memory and back, if the device is too small; then peaks count both memories.
    /// Making the preprocessed columns is part of it.
    pub spill: Option<Spill>,
    /// Highest sum while the preprocessed columns are committed to.
    pub preparation_bytes: u64,
    /// Where that is.
    pub preparation_at: PeakLocation,
    /// Bytes of the preprocessed columns that are kept between proofs.
    pub kept_bytes: u64,
    /// Bytes that the trace takes on its way to the device, if the device does not make it, and interaction columns
    /// that the statement gives.
    pub upload_bytes: u64,
    /// Operations of the base field that evaluating constraints takes, about.
    pub constraint_operations: u64,
    /// Log2 of the points of the common domain.
    pub log_domain: u32,
    /// The columns that are kept from a round to the next that reads them.
    pub keep: Keep,
    /// The columns that are made again because they are not kept.
    pub remade: Recomputed,
}

impl Plan {
    /// The memory that must be free before anything is made.
    pub(crate) fn need(&self) -> Need {
        let (peak, at) = match self.preparation_bytes > self.peak_bytes {
            true => (self.preparation_bytes, self.preparation_at),
            false => (self.peak_bytes, self.peak_at),
        };
        Need { peak, held: 0, at }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (peak, kept) = (mib(self.peak_bytes), mib(self.kept_bytes));
        write!(
            f,
            "domain 2^{}, {peak} MiB on the device ({}), {kept} MiB of them kept",
            self.log_domain, self.peak_at
        )?;
        match self.keep {
            Keep::All => Ok(()),
            keep => write!(f, "; proofs keep {keep}: {}", self.remade),
        }
    }
}
