//! Facts of runs, and of proofs that are made of them, as JSON and as text.

use std::fmt;

use sdk::hal::Bytes;
use sdk::prover::circle::{Plan, Recomputed};
use serde::Serialize;

use crate::report::views::LISTED;

/// A note on words of the output that were never written.
pub(super) fn holes(words: &[usize]) -> Option<String> {
    let listed: Vec<String> = words.iter().take(LISTED).map(usize::to_string).collect();
    let more = match words.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let number = if words.len() == 1 { "word" } else { "words" };
    (!words.is_empty()).then(|| {
        format!("the program never wrote {number} {}{more} of its output: the proof says 0 there", listed.join(", "))
    })
}

/// The device memory of a proof.
#[derive(Serialize)]
pub(super) struct MemoryView {
    device_peak_bytes: u64,
    /// In the host's memory, and moved there and back, where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    host_peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_bytes: Option<u64>,
    /// The columns that it keeps there.
    keep: &'static str,
    /// Cells that it makes again.
    remade_rows: u64,
    remade_extended: u64,
}

impl MemoryView {
    pub(super) fn new(plan: &Plan) -> Self {
        let Recomputed { rows: remade_rows, extended: remade_extended } = plan.remade;
        Self {
            device_peak_bytes: plan.spill.map_or(plan.peak_bytes, |spill| spill.device_bytes),
            host_peak_bytes: plan.spill.map(|spill| spill.host_bytes),
            moved_bytes: plan.spill.map(|spill| spill.moved_bytes),
            keep: plan.keep.name(),
            remade_rows,
            remade_extended,
        }
    }
}

impl fmt::Display for MemoryView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Bytes(self.device_peak_bytes))?;
        if let (Some(host), Some(moved)) = (self.host_peak_bytes, self.moved_bytes) {
            write!(f, ", {} in the host's memory, {} moved there and back,", Bytes(host), Bytes(moved))?;
        }
        match self.remade_rows + self.remade_extended {
            0 => Ok(()),
            cells => write!(f, " with {} kept and {cells} cells made again", self.keep),
        }
    }
}
