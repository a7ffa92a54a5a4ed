//! The report on proofs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::floor::Machine;
use crate::provenance::Provenance;
use crate::time::TimeView;

#[derive(Serialize)]
pub(crate) struct PhaseView {
    pub(crate) name: &'static str,
    #[serde(flatten)]
    pub(crate) time: TimeView,
}

#[derive(Serialize)]
pub(crate) struct OperationView {
    pub(crate) name: &'static str,
    pub(crate) calls: u64,
    #[serde(flatten)]
    pub(crate) time: TimeView,
    /// Kernels that the device ran, if it tells.
    pub(crate) launches: Option<u64>,
    /// Time of its kernels, copies and fills, the device not waited for in between, if it tells.
    pub(crate) device_seconds: Option<f64>,
    pub(crate) uploaded_bytes: u64,
    pub(crate) downloaded_bytes: u64,
    /// Bytes that must be moved at least, of memory and between host and device.
    pub(crate) least_bytes: f64,
    /// Sum over the calls; `None` if no speed for them is known, or latency is all.
    pub(crate) floor_seconds: Option<f64>,
    /// `None` if it would be above 1, too: then the speeds are not the device's, and the floor is none.
    pub(crate) share_of_floor: Option<f64>,
}

/// Proofs of another size, or why there are none.
#[derive(Serialize)]
pub(crate) struct SizeView {
    pub(crate) log_rows: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<String>,
    #[serde(flatten)]
    pub(crate) measured: Option<MeasuredSize>,
}

/// Proofs without their proof of work, whose time is luck.
#[derive(Serialize)]
pub(crate) struct MeasuredSize {
    #[serde(flatten)]
    pub(crate) time: TimeView,
    pub(crate) mega_rows_per_second: f64,
}

/// The measurements of proofs.
#[derive(Serialize)]
pub struct ProofReport<F> {
    pub(crate) status: &'static str,
    pub(crate) made: Provenance,
    pub(crate) protocol: &'static str,
    pub(crate) backend: String,
    pub(crate) device: String,
    pub(crate) air: String,
    pub(crate) rows: u64,
    pub(crate) parameters: BTreeMap<String, u64>,
    /// Options, security and proof.
    #[serde(flatten)]
    pub(crate) facts: F,
    /// True: the verifier took the proof. There is no report otherwise.
    pub(crate) verified: bool,
    /// Where the trace is computed: `upload` or `device`.
    pub(crate) trace: &'static str,
    pub(crate) runs: u32,
    pub(crate) warm_up: u32,
    /// Once for a statement, not in `prove`: the programs and the columns that do not depend on the trace, by the
    /// host's clock.
    pub(crate) preparation_seconds: f64,
    /// A proof, its trace given or made within the time; by the host's clock.
    pub(crate) prove: TimeView,
    /// A verification, from the bytes of the file.
    pub(crate) verify: TimeView,
    /// Time of a proof in which the device ran kernels, copies or fills, if it tells; transfers and gaps are not in it.
    pub(crate) busy_seconds: Option<f64>,
    /// The floors of all operations, upload at the link's speed included, one after the other.
    pub(crate) floor_seconds: f64,
    /// The floor over the median of `prove`; `None` above 1, or if an operation was faster than its floor.
    pub(crate) share_of_floor: Option<f64>,
    pub(crate) phases: Vec<PhaseView>,
    /// Measured in runs of their own that wait for the device after each operation.
    pub(crate) operations: Vec<OperationView>,
    /// The clock of the times of the operations.
    pub(crate) operations_clock: &'static str,
    pub(crate) speeds: Machine,
    pub(crate) uploaded_bytes: u64,
    pub(crate) downloaded_bytes: u64,
    pub(crate) planned_peak_bytes: u64,
    pub(crate) measured_peak_bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sizes: Vec<SizeView>,
}
