//! Statements of the Goldilocks protocol, as JSON and as text.

use std::fmt;

use serde::Serialize;

use sdk::ProofOptions;
use sdk::goldilocks::ExpectSeed;
use sdk::goldilocks_proof::Statement;

/// Options of a proof as JSON, and as text in a line.
#[derive(Serialize)]
pub(crate) struct OptionsView {
    blowup: u32,
    queries: u32,
    grinding: u32,
    coset_offset: String,
    hash: &'static str,
}

impl From<&ProofOptions> for OptionsView {
    fn from(options: &ProofOptions) -> Self {
        Self {
            blowup: options.blowup,
            queries: options.queries,
            grinding: options.grinding,
            coset_offset: options.coset_offset.to_string(),
            hash: options.suite.name(),
        }
    }
}

impl fmt::Display for OptionsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blowup, queries, grinding, coset_offset, hash } = self;
        write!(f, "blowup {blowup}, {queries} queries, grinding {grinding}, coset offset {coset_offset}, {hash}")
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
    pub(super) fn new(statement: &Statement) -> Self {
        Self {
            options: (&statement.options).into(),
            transcript_seed: statement.seed.as_ref().map(hex::encode),
            seed_binds_statement: statement.seed.is_none(),
        }
    }
}

/// Facts that only statements of this protocol have, in lines.
pub(super) fn own_rows(statement: &Statement) -> Vec<(&'static str, String)> {
    let options = &statement.options;
    let seed = match &statement.seed {
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
