//! Facts of proofs of Cairo programs, as JSON and as text.

use std::fmt;

use cairo::verify::Stated;
use cairo::{AirProof, Proof, preprocessed};
use cairo_run::felt::text;
use serde::Serialize;

use crate::exit::Failure;
use crate::facts::ProofView;
use crate::views::{LISTED, listed};
use sdk::Error;
use sdk::circle_proof::{CircleOptions, Suite};
use sdk::hal::Bytes;
use sdk::prover::circle::{Plan, Recomputed};

/// The public statement of a proof.
#[derive(Serialize)]
pub(super) struct StatedView {
    program_hash: String,
    program_words: usize,
    builtins: Vec<&'static str>,
    output: Vec<String>,
}

impl StatedView {
    pub(super) fn new(stated: &Stated) -> Self {
        Self {
            program_hash: text(&stated.program_hash),
            program_words: stated.program_words,
            builtins: stated.builtins.iter().map(|builtin| builtin.to_str()).collect(),
            output: stated.output.iter().map(text).collect(),
        }
    }

    /// In lines for [`crate::output::table`].
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        vec![
            ("program", format!("{} ({} words)", self.program_hash, self.program_words)),
            ("builtins", self.builtins.join(", ")),
            ("output", listed(&self.output)),
        ]
    }
}

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

/// How a proof is made.
#[derive(Serialize)]
pub(super) struct OptionsView {
    preprocessed: &'static str,
    log_blowup: u32,
    queries: u32,
    pow_bits: u32,
    fold_step: u32,
    log_last: u32,
    lifting: Option<u32>,
    channel: &'static str,
    channel_salt: u32,
}

impl OptionsView {
    /// The options of a proof that was made.
    pub(super) fn new(proof: &Proof, options: &CircleOptions) -> Self {
        Self::asked(preprocessed::name(proof.variant()), options, proof.channel_salt)
    }

    /// The options of a proof that could be made.
    pub(super) fn asked(preprocessed: &'static str, options: &CircleOptions, channel_salt: u32) -> Self {
        let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = *options;
        let channel = suite.name();
        Self { preprocessed, log_blowup, queries, pow_bits, fold_step, log_last, lifting, channel, channel_salt }
    }

    /// In lines for [`crate::output::table`].
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let lifting = self.lifting.map_or(String::new(), |lifting| format!(", lifted to 2^{lifting} points"));
        let channel = match self.channel == Suite::default().name() {
            true => String::new(),
            false => format!(", channel {}", self.channel),
        };
        let salt = if self.channel_salt == 0 { String::new() } else { format!(", salt {}", self.channel_salt) };
        let options = format!(
            "blowup 2^{}, {} queries, {} bits of work, fold step {}, last layer 2^{}{lifting}{channel}{salt}",
            self.log_blowup, self.queries, self.pow_bits, self.fold_step, self.log_last
        );
        vec![("options", options), ("preprocessed", self.preprocessed.to_owned())]
    }
}

/// The bytes of a proof, over which its digest is taken, for every format of its file.
pub(super) fn proof_view(proof: &Proof) -> Result<ProofView, Failure> {
    Ok(ProofView::new(&cairo::file::bincode(proof).map_err(Error::from)?))
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
