//! Facts that proofs of all protocols have, as JSON and as text.

use std::fmt::Display;

use super::facts::ProofView;
use crate::protocol::Rows;
use sdk::hal::Bytes;
use sdk::proof_format::Security;
use sdk::{Error, FileContents, ProofSystem};

/// Items that are listed in text; JSON has them all.
pub(crate) const LISTED: usize = 16;

/// The first items of a list, and how many more there are.
pub(crate) fn listed(items: &[impl Display]) -> String {
    let first = items.iter().take(LISTED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(LISTED) {
        0 if items.is_empty() => "none".to_owned(),
        0 => first,
        more => format!("{first}, ... ({more} more)"),
    }
}

/// Facts that every statement has, in lines for [`super::output::table`].
pub(crate) fn stated_rows<F: ProofSystem>(file: &F::File) -> Rows {
    let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(file);
    let parameters: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    vec![
        ("AIR", air.to_owned()),
        ("rows", format!("{rows} (2^{})", rows.ilog2())),
        ("parameters", if parameters.is_empty() { "none".to_owned() } else { parameters.join(", ") }),
        ("public inputs", listed(public_inputs)),
    ]
}

/// The security in lines for [`super::output::table`].
pub(crate) fn security_rows(security: &Security) -> Rows {
    let bits = |bits: &sdk::proof_format::security::Bits| format!("{} bits, limited by {}", bits.bits, bits.limit);
    security.figures().map(|(kind, figure)| (kind.name(), bits(&figure))).collect()
}

/// The security, or why there is none, in lines for [`super::output::table`].
pub(crate) fn claimed_rows(claimed: Result<&Security, impl Display>) -> Rows {
    match claimed {
        Ok(security) => security_rows(security),
        Err(error) => vec![("problem", error.to_string())],
    }
}

/// A file in lines for [`super::output::table`], with the rows of its own protocol. `vouches` says whether the
/// statement vouches for the multiplicities of its lookups.
pub(crate) fn file_rows<F: ProofSystem>(
    file: &F::File,
    own: Rows,
    security: Result<&Security, &Error>,
    vouches: bool,
    proof: &ProofView,
) -> Rows {
    let mut rows = stated_rows::<F>(file);
    rows.extend(own);
    rows.extend(claimed_rows(security));
    let vouched = || ("multiplicities", "not counted: the statement vouches that they are bounded".to_owned());
    rows.extend(vouches.then(vouched));
    rows.push(proof_row(proof));
    rows
}

/// The proof in a line for [`super::output::table`].
pub(crate) fn proof_row(proof: &ProofView) -> (&'static str, String) {
    ("proof", format!("{}, SHA-256 {}", Bytes(proof.bytes as u64), proof.sha256))
}
