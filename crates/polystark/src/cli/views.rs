//! Statements and security, as JSON and as text. Field elements and other numbers that a JSON reader may round are strings.

use std::collections::BTreeMap;

pub(crate) use bench::text::bytes;
use polystark::goldilocks::ExpectSeed;
use polystark::proof::Security;
use polystark::{ProofOptions, SecurityKind, Statement};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Public inputs that are listed in text; JSON has them all.
const LISTED: usize = 16;

#[derive(Serialize)]
pub(crate) struct OptionsView {
    blowup: u32,
    queries: u32,
    grinding: u32,
    coset_offset: String,
    hash: &'static str,
}

impl OptionsView {
    pub(crate) fn new(options: &ProofOptions) -> Self {
        Self {
            blowup: options.blowup,
            queries: options.queries,
            grinding: options.grinding,
            coset_offset: options.coset_offset.to_string(),
            hash: options.hash.name(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct StatementView {
    protocol: String,
    extension_degree: u64,
    air: String,
    rows: u64,
    parameters: BTreeMap<String, u64>,
    public_inputs: Vec<String>,
    options: OptionsView,
    /// Hexadecimal; null is the default seed, which binds the statement.
    transcript_seed: Option<String>,
    /// Whether the transcript starts from the statement. A seed that was given binds what whoever gave it put in, no more.
    seed_binds_statement: bool,
}

impl StatementView {
    pub(crate) fn new(statement: &Statement) -> Self {
        Self {
            protocol: statement.protocol.clone(),
            extension_degree: statement.extension_degree,
            air: statement.air.clone(),
            rows: 1 << statement.log_rows,
            parameters: statement.parameters.clone(),
            public_inputs: statement.public_inputs.iter().map(ToString::to_string).collect(),
            options: OptionsView::new(&statement.options),
            transcript_seed: statement.seed.as_ref().map(hex::encode),
            seed_binds_statement: statement.seed.is_none(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct SecurityView {
    claimed_bits: u32,
    claimed_limit: String,
    conjectured_bits: u32,
    conjectured_limit: String,
    provable_bits: u32,
    provable_limit: String,
}

impl SecurityView {
    pub(crate) fn new(security: &Security) -> Self {
        Self {
            claimed_bits: security.claimed.bits,
            claimed_limit: security.claimed.limit.to_string(),
            conjectured_bits: security.conjectured.bits,
            conjectured_limit: security.conjectured.limit.to_string(),
            provable_bits: security.provable.bits,
            provable_limit: security.provable.limit.to_string(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ProofView {
    bytes: usize,
    sha256: String,
}

impl ProofView {
    pub(crate) fn new(proof: &[u8]) -> Self {
        Self { bytes: proof.len(), sha256: hex::encode(Sha256::digest(proof)) }
    }
}

/// The statement in lines for [`super::output::table`].
pub(crate) fn statement_rows(statement: &Statement) -> Vec<(&'static str, String)> {
    let options = &statement.options;
    let parameters: Vec<String> = statement.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs: Vec<String> = statement.public_inputs.iter().take(LISTED).map(ToString::to_string).collect();
    let more = match statement.public_inputs.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", ... ({more} more)"),
    };
    let or_none = |list: String| if list.is_empty() { "none".to_owned() } else { list };
    let seed = match &statement.seed {
        None => "default, binds the statement".to_owned(),
        Some(seed) if seed.is_empty() => "given: empty, binds nothing".to_owned(),
        Some(seed) => format!("given: {}, binds what its maker put into it", ExpectSeed::Given(seed.clone())),
    };
    vec![
        ("AIR", statement.air.clone()),
        ("rows", format!("{} (2^{})", 1u64 << statement.log_rows, statement.log_rows)),
        ("parameters", or_none(parameters.join(", "))),
        ("public inputs", or_none(inputs.join(", ") + &more)),
        ("protocol", format!("{}, challenges of degree {}", statement.protocol, statement.extension_degree)),
        (
            "options",
            format!(
                "blowup {}, {} queries, grinding {}, coset offset {}, {}",
                options.blowup, options.queries, options.grinding, options.coset_offset, options.hash
            ),
        ),
        ("transcript seed", seed),
    ]
}

/// The security in lines for [`super::output::table`].
pub(crate) fn security_rows(security: &Security) -> Vec<(&'static str, String)> {
    let bits = |bits: &polystark::proof::security::Bits| format!("{} bits, limited by {}", bits.bits, bits.limit);
    SecurityKind::ALL.map(|kind| (kind.name(), bits(&kind.of(security)))).into()
}

/// The proof in a line for [`super::output::table`].
pub(crate) fn proof_row(proof: &[u8]) -> (&'static str, String) {
    ("proof", format!("{} bytes, SHA-256 {}", proof.len(), hex::encode(Sha256::digest(proof))))
}
