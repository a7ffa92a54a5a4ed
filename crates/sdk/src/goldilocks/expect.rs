//! A caller's demands on a Goldilocks proof that no other protocol has: the key of its statement, its options.

use std::fmt;

use air::RecordedAir;
use goldilocks_proof::{AnyOptions, AnyProofFile, Format};
use goldilocks_verifier::Key;
use gpu_hal::{GoldilocksStark, HashFn};

use crate::verification::mismatch::Mismatch;

/// The key of the statement, and options that a proof must have. A missing demand allows anything, except for the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectOptions {
    /// The key of the statement: constraints, rows, boundaries, periodic columns and suite. It has no public inputs.
    pub key: Option<Key>,
    /// Format of the proof.
    pub format: Option<Format>,
    /// Hash function of the trees.
    pub hash: Option<HashFn>,
    /// Blowup.
    pub blowup: Option<u32>,
    /// Number of queries.
    pub queries: Option<u32>,
    /// Bits of proof of work before the queries.
    pub grinding: Option<u32>,
    /// Coset offset.
    pub coset_offset: Option<u64>,
    /// Transcript seed. It is always demanded: a seed binds the values that its chooser took.
    pub seed: ExpectSeed,
}

impl ExpectOptions {
    /// Compares the recorded AIR of a file with the key.
    pub(super) fn check_key(&self, air: &RecordedAir<GoldilocksStark>, options: &AnyOptions) -> Result<(), Mismatch> {
        let Some(key) = &self.key else { return Ok(()) };
        let checked = key.check(&Key::of(air, options.suite()));
        checked.map_err(|other| Mismatch::new(other.what, other.found, format!("{}, by the key", other.expected)))
    }

    pub(super) fn check(&self, statement: &AnyProofFile, options: &AnyOptions) -> Result<(), Mismatch> {
        Mismatch::check("the format", self.format.as_ref(), &options.format())?;
        Mismatch::check("the hash function", self.hash.as_ref(), &options.tree())?;
        Mismatch::check("the blowup", self.blowup.as_ref(), &options.blowup())?;
        Mismatch::check("the number of queries", self.queries.as_ref(), &options.queries())?;
        Mismatch::check("the grinding factor", self.grinding.as_ref(), &options.grinding())?;
        Mismatch::check("the coset offset", self.coset_offset.as_ref(), &options.coset_offset())?;
        let seed = statement.seed.clone().map_or(ExpectSeed::Default, ExpectSeed::Given);
        Mismatch::check("the transcript seed", Some(&self.seed), &seed)
    }
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
