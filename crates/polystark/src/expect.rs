//! What a caller insists on, beyond that a proof is valid for the statement beside it.

use std::collections::BTreeMap;
use std::fmt;

use field::Goldilocks;
use gpu_hal::HashFn;
use proof::Statement;

/// Which statement a file must hold. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// Name of the AIR.
    pub air: Option<String>,
    /// Rows of the trace.
    pub rows: Option<u64>,
    /// Parameters of the AIR that must have these values; others may have any.
    pub parameters: BTreeMap<String, u64>,
    /// All public inputs, in order.
    pub public_inputs: Option<Vec<Goldilocks>>,
    /// Hash function of the trees.
    pub hash: Option<HashFn>,
    /// Blowup.
    pub blowup: Option<u32>,
    /// Number of queries.
    pub queries: Option<u32>,
    /// Bits of proof of work.
    pub grinding: Option<u32>,
    /// Coset offset.
    pub coset_offset: Option<u64>,
    /// Transcript seed. This alone is always insisted on: whoever chooses a seed chooses what it binds.
    pub seed: ExpectSeed,
}

/// Bytes of a seed that are shown.
const SHOWN: usize = 32;

/// The transcript seed that a caller insists on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExpectSeed {
    /// The default seed, which binds the statement.
    #[default]
    Default,
    /// These bytes.
    Given(Vec<u8>),
}

impl fmt::Display for ExpectSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::Given(bytes) if bytes.is_empty() => f.write_str("empty"),
            Self::Given(bytes) => {
                f.write_str(&hex::encode(&bytes[..bytes.len().min(SHOWN)]))?;
                if bytes.len() > SHOWN { write!(f, "... ({} bytes)", bytes.len()) } else { Ok(()) }
            }
        }
    }
}

/// The statement is another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}, expected: {expected}")]
pub struct Mismatch {
    /// What was compared.
    pub what: String,
    /// What the file says.
    pub found: String,
    /// What it should say.
    pub expected: String,
}

impl Expect {
    /// Compares the statement with what is expected of it. It says nothing about the proof.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, statement: &Statement) -> Result<(), Mismatch> {
        let options = &statement.options;
        compare("the AIR", self.air.as_ref(), &statement.air)?;
        compare("the number of rows", self.rows.as_ref(), &(1 << statement.log_rows))?;
        for (name, expected) in &self.parameters {
            match statement.parameters.get(name) {
                None => return Err(mismatch(&format!("parameter {name}"), "missing", expected)),
                found => compare(&format!("parameter {name}"), Some(expected), found.unwrap_or(expected))?,
            }
        }
        compare_all("public input", self.public_inputs.as_deref(), &statement.public_inputs)?;
        compare("the hash function", self.hash.as_ref(), &options.hash)?;
        compare("the blowup", self.blowup.as_ref(), &options.blowup)?;
        compare("the number of queries", self.queries.as_ref(), &options.queries)?;
        compare("the grinding factor", self.grinding.as_ref(), &options.grinding)?;
        compare("the coset offset", self.coset_offset.as_ref(), &options.coset_offset)?;
        let seed = statement.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        compare("the transcript seed", Some(&self.seed), &seed)
    }
}

pub(crate) fn compare<T: PartialEq + fmt::Display>(
    what: &str,
    expected: Option<&T>,
    found: &T,
) -> Result<(), Mismatch> {
    match expected {
        Some(expected) if expected != found => Err(mismatch(what, found, expected)),
        _ => Ok(()),
    }
}

/// Compares lists one by one: neither can be shown as a whole, as a file may have any number of items.
pub(crate) fn compare_all<T: PartialEq + fmt::Display>(
    what: &str,
    expected: Option<&[T]>,
    found: &[T],
) -> Result<(), Mismatch> {
    let Some(expected) = expected else { return Ok(()) };
    if found.len() != expected.len() {
        return Err(mismatch(&format!("the number of {what}s"), found.len(), expected.len()));
    }
    let different = found.iter().zip(expected).enumerate().find(|(_, (found, expected))| found != expected);
    different.map_or(Ok(()), |(index, (found, expected))| Err(mismatch(&format!("{what} {index}"), found, expected)))
}

pub(crate) fn mismatch(what: &str, found: impl fmt::Display, expected: impl fmt::Display) -> Mismatch {
    Mismatch { what: what.to_owned(), found: found.to_string(), expected: expected.to_string() }
}
