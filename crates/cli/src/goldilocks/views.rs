//! Statements of the Goldilocks protocol, as JSON and as text.

use std::fmt;

use serde::Serialize;

use crate::arguments::values::joined;
use sdk::goldilocks::{AnyOptions, ExpectSeed};
use sdk::goldilocks_proof::{AnyProofFile, FileOptions as _, Hiding, compact};

/// Options of a proof as JSON, and as text in a line.
#[derive(Serialize)]
pub(crate) struct OptionsView {
    format: &'static str,
    blowup: u32,
    queries: u32,
    /// Bits of proof of work before the queries.
    grinding: u32,
    coset_offset: String,
    hash: &'static str,
    #[serde(flatten)]
    compact: Option<CompactView>,
}

/// Options that compact proofs alone have.
#[derive(Serialize)]
struct CompactView {
    /// Out-of-domain points.
    points: u32,
    /// Log2 of the factor of each fold.
    folds: Vec<u32>,
    /// Log2 of the coefficients of the last layer.
    log_last: u32,
    /// Bits of proof of work before each draw.
    work: Vec<u32>,
    /// Whether the proof hides its witness: `none`, or `free-rows`.
    hiding: &'static str,
}

impl From<&compact::Options> for CompactView {
    fn from(options: &compact::Options) -> Self {
        let compact::Options { points, folds, log_last, work, hiding, .. } = options;
        let (folds, work) = (folds.clone(), work.clone());
        Self { points: *points, folds, log_last: *log_last, work, hiding: hiding.name() }
    }
}

impl From<&AnyOptions> for OptionsView {
    fn from(options: &AnyOptions) -> Self {
        Self {
            format: options.format().name(),
            blowup: options.blowup(),
            queries: options.queries(),
            grinding: options.grinding(),
            coset_offset: options.coset_offset().to_string(),
            hash: options.tree().name(),
            compact: match options {
                AnyOptions::Lambdaworks(_) => None,
                AnyOptions::Compact(options) => Some(options.into()),
            },
        }
    }
}

impl fmt::Display for OptionsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, blowup, queries, grinding, coset_offset, hash, compact } = self;
        write!(f, "blowup {blowup}, {queries} queries, grinding {grinding}, coset offset {coset_offset}, {hash}")?;
        let Some(CompactView { points, folds, log_last, work, hiding }) = compact else { return Ok(()) };
        let coefficients = 1_u64.checked_shl(*log_last).unwrap_or(0);
        write!(f, ", {format}: folds {} (log2), {coefficients} coefficients, ", joined(folds))?;
        write!(f, "{points} out-of-domain point{}, work {}", if *points == 1 { "" } else { "s" }, joined(work))?;
        let hides = *hiding != Hiding::None.name();
        f.write_str(if hides { ", zero knowledge" } else { "" })
    }
}

/// The fields that statements of other protocols do not have.
#[derive(Serialize)]
pub(crate) struct OwnView {
    options: OptionsView,
    /// Hexadecimal; null is the default seed, which binds the statement.
    transcript_seed: Option<String>,
    /// Whether the transcript starts from the statement. A given seed binds no more than its author put in.
    seed_binds_statement: bool,
}

impl OwnView {
    pub(super) fn new(statement: &AnyProofFile) -> Self {
        Self {
            options: (&statement.options).into(),
            transcript_seed: statement.seed.as_ref().map(hex::encode),
            seed_binds_statement: statement.seed.is_none(),
        }
    }
}

/// Facts that only statements of this protocol have, in lines.
pub(super) fn own_rows(statement: &AnyProofFile) -> Vec<(&'static str, String)> {
    let options = &statement.options;
    let seed = match &statement.seed {
        None if !options.takes_seed() => "none: it starts from the statement".to_owned(),
        None => "default, binds the statement".to_owned(),
        Some(seed) if seed.is_empty() => "given: empty, binds nothing".to_owned(),
        Some(seed) => format!("given: {}, binds what its maker put into it", ExpectSeed::Given(seed.clone())),
    };
    vec![
        ("protocol", format!("{}, challenges of degree {}", statement.protocol, statement.extension_degree)),
        ("options", OptionsView::from(options).to_string()),
        ("transcript seed", seed),
    ]
}
