//! Facts of proofs of Cairo programs, as JSON and as text.

use cairo::verify::ProvenStatement;
use cairo::{AirProof, Proof};
use cairo_run::felt::text;
use serde::Serialize;

use super::arguments::value_name;
use super::samples::Samples;
use crate::report::exit::Failure;
use crate::report::facts::ProofView;
use crate::report::views::listed;
use sdk::Error;
use sdk::circle_proof::{CircleOptions, Suite};

/// The public statement of a proof.
#[derive(Serialize)]
pub(super) struct StatedView {
    program_hash: String,
    program_words: usize,
    builtins: Vec<&'static str>,
    output: Vec<String>,
}

impl StatedView {
    pub(super) fn new(stated: &ProvenStatement) -> Self {
        Self {
            program_hash: text(&stated.program_hash),
            program_words: stated.program_words,
            builtins: stated.builtins.iter().map(|builtin| builtin.to_str()).collect(),
            output: stated.output.iter().map(text).collect(),
        }
    }

    /// In lines for [`crate::report::output::table`].
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        vec![
            ("program", format!("{} ({} words)", self.program_hash, self.program_words)),
            ("builtins", self.builtins.join(", ")),
            ("output", listed(&self.output)),
        ]
    }
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
    preprocessed_samples: String,
    #[serde(skip)]
    samples: Samples,
}

impl OptionsView {
    /// The options of a proof that was made.
    pub(super) fn new(proof: &Proof, options: &CircleOptions) -> Self {
        Self::asked(proof.variant().name(), options, proof.salt(), proof.samples_all())
    }

    /// The options of a proof that could be made.
    pub(super) fn asked(
        preprocessed: &'static str,
        options: &CircleOptions,
        channel_salt: u32,
        samples_all: bool,
    ) -> Self {
        let CircleOptions { pow_bits, log_blowup, queries, fold_step, log_last, lifting, suite } = *options;
        let samples = Samples::of(samples_all);
        Self {
            preprocessed,
            log_blowup,
            queries,
            pow_bits,
            fold_step,
            log_last,
            lifting,
            channel: suite.name(),
            channel_salt,
            preprocessed_samples: value_name(&samples),
            samples,
        }
    }

    /// In lines for [`crate::report::output::table`].
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
        let sampled = match self.samples {
            Samples::Read => "",
            Samples::All => ", all columns sampled",
        };
        vec![("options", options), ("preprocessed", format!("{}{sampled}", self.preprocessed))]
    }
}

/// The bytes of a proof of a suite, over which its digest is taken, for every format of its file.
pub(super) fn proof_view(proof: &Proof, suite: Suite) -> Result<ProofView, Failure> {
    Ok(ProofView::new(&cairo::file::bincode(proof, suite).map_err(Error::from)?))
}
