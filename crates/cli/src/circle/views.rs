//! Statements of the Circle protocol, as JSON and as text.

use std::fmt;

use serde::Serialize;

use sdk::circle_proof::{CircleOptions, PROTOCOL, ProofFile, Suite};
use sdk::field::M31;

/// Degree of the extension that challenges are drawn from.
const DEGREE: u64 = 4;

/// Options of a proof as JSON, and as text in a line.
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

impl fmt::Display for OptionsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pow_bits, log_blowup, queries, fold_step, log_last, lifting, channel } = self;
        write!(f, "blowup 2^{log_blowup}, {queries} queries, {pow_bits} proof-of-work bits, fold step {fold_step}, ")?;
        write!(f, "last layer 2^{log_last}, lifting ")?;
        match lifting {
            None => f.write_str("none"),
            Some(lifting) => lifting.fmt(f),
        }?;
        if *channel == Suite::default().name() { Ok(()) } else { write!(f, ", channel {channel}") }
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

/// Facts that only statements of this protocol have, in lines.
pub(super) fn own_rows(file: &ProofFile, options: Option<&CircleOptions>) -> Vec<(&'static str, String)> {
    let options = options.map_or("none that are possible".to_owned(), |options| OptionsView::from(options).to_string());
    vec![
        ("lookups", format!("{} claimed sums", file.claimed_sums.len())),
        ("protocol", format!("{PROTOCOL}, challenges of degree {DEGREE}")),
        ("options", options),
    ]
}
