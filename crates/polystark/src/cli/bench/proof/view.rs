//! What is reported of proofs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::bench::floor::Machine;
use crate::cli::bench::time::TimeView;
use crate::cli::views::ProofView;

#[derive(Serialize)]
pub(super) struct PhaseView {
    pub(super) name: &'static str,
    #[serde(flatten)]
    pub(super) time: TimeView,
}

#[derive(Serialize)]
pub(super) struct OperationView {
    pub(super) name: &'static str,
    pub(super) calls: u64,
    #[serde(flatten)]
    pub(super) time: TimeView,
    /// Kernels that the device ran, if it tells.
    pub(super) launches: Option<u64>,
    /// Time of its kernels, copies and fills, the device not waited for in between, if it tells.
    pub(super) device_seconds: Option<f64>,
    pub(super) uploaded_bytes: u64,
    pub(super) downloaded_bytes: u64,
    /// Bytes that must be moved at least, of memory and between host and device.
    pub(super) least_bytes: f64,
    /// Sum over the calls; `None` if no speed for them is known, or latency is all.
    pub(super) floor_seconds: Option<f64>,
    pub(super) share_of_floor: Option<f64>,
}

/// Proofs of another size, or why there are none.
#[derive(Serialize)]
pub(super) struct SizeView {
    pub(super) log_rows: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skipped: Option<String>,
    #[serde(flatten)]
    pub(super) measured: Option<MeasuredSize>,
}

#[derive(Serialize)]
pub(super) struct MeasuredSize {
    #[serde(flatten)]
    pub(super) time: TimeView,
    pub(super) mega_rows_per_second: f64,
}

#[derive(Serialize)]
pub(super) struct View<F> {
    pub(super) status: &'static str,
    pub(super) protocol: &'static str,
    pub(super) backend: String,
    pub(super) device: String,
    pub(super) air: String,
    pub(super) rows: u64,
    pub(super) parameters: BTreeMap<String, u64>,
    /// Options and security.
    #[serde(flatten)]
    pub(super) facts: F,
    pub(super) proof: ProofView,
    /// That the verifier took the proof: there is no report otherwise.
    pub(super) verified: bool,
    /// Where the trace is computed: `upload` or `device`.
    pub(super) trace: &'static str,
    pub(super) runs: u32,
    pub(super) warm_up: u32,
    /// Once for a statement, not in `prove`: the programs and the columns that do not depend on the trace, by the host's clock.
    pub(super) preparation_seconds: f64,
    /// A proof, its trace given or made within the time; by the host's clock.
    pub(super) prove: TimeView,
    /// A verification, from the bytes of the file.
    pub(super) verify: TimeView,
    /// Time of a proof in which the device ran kernels, copies or fills, if it tells; transfers and gaps are not in it.
    pub(super) busy_seconds: Option<f64>,
    /// The floors of all operations, upload at the link's speed included, one after the other.
    pub(super) floor_seconds: f64,
    /// That over the median of `prove`.
    pub(super) share_of_floor: f64,
    pub(super) phases: Vec<PhaseView>,
    /// Measurable in runs of their own that wait for the device after each operation.
    pub(super) operations: Vec<OperationView>,
    /// What the times of the operations were read from.
    pub(super) operations_clock: &'static str,
    pub(super) speeds: Machine,
    pub(super) uploaded_bytes: u64,
    pub(super) downloaded_bytes: u64,
    pub(super) planned_peak_bytes: u64,
    pub(super) measured_peak_bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sizes: Vec<SizeView>,
}
