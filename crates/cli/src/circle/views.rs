//! Statements of the Circle protocol, as JSON and as text.

use serde::Serialize;

use sdk::circle_proof::{CircleOptions, PROTOCOL, ProofFile, Suite};
use sdk::field::M31;

/// Degree of the extension that challenges are drawn from.
const DEGREE: u64 = 4;

/// Options of a proof as JSON.
#[derive(Serialize)]
pub(crate) struct OptionsView {
    pow_bits: u32,
    log_blowup: u32,
    queries: u32,
    fold_step: u32,
    log_last: u32,
    lifting: Option<u32>,
    channel: &'static str,
}

impl From<&CircleOptions> for OptionsView {
    fn from(options: &CircleOptions) -> Self {
        Self {
            pow_bits: options.pow_bits,
            log_blowup: options.log_blowup,
            queries: options.queries,
            fold_step: options.fold_step,
            log_last: options.log_last,
            lifting: options.lifting,
            channel: options.suite.name(),
        }
    }
}

/// The fields that statements of other protocols do not have. Everything below 2^32 is a number.
#[derive(Serialize)]
pub(crate) struct OwnView {
    claimed_sums: Vec<[u32; 4]>,
    /// Null if the proof has none.
    options: Option<OptionsView>,
}

impl OwnView {
    pub(super) fn new(file: &ProofFile, options: Option<&CircleOptions>) -> Self {
        Self {
            claimed_sums: file.claimed_sums.iter().map(|sum| sum.0.map(M31::value)).collect(),
            options: options.map(Into::into),
        }
    }
}

/// Options in a line.
pub(super) fn options_text(options: &CircleOptions) -> String {
    let channel = match options.suite == Suite::default() {
        true => String::new(),
        false => format!(", channel {}", options.suite),
    };
    format!(
        "blowup 2^{}, {} queries, {} proof-of-work bits, fold step {}, last layer 2^{}, lifting {}{channel}",
        options.log_blowup,
        options.queries,
        options.pow_bits,
        options.fold_step,
        options.log_last,
        options.lifting.map_or("none".to_owned(), |lifting| lifting.to_string()),
    )
}

/// Facts that only statements of this protocol have, in lines.
pub(super) fn own_rows(file: &ProofFile, options: Option<&CircleOptions>) -> Vec<(&'static str, String)> {
    let options = options.map_or("none that are possible".to_owned(), options_text);
    vec![
        ("lookups", format!("{} claimed sums", file.claimed_sums.len())),
        ("protocol", format!("{PROTOCOL}, challenges of degree {DEGREE}")),
        ("options", options),
    ]
}
