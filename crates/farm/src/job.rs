//! What is asked for, and its name.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use proof_format::text::shown;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest, written as 64 small hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Its first byte.
    pub(crate) fn first(&self) -> u8 {
        self.0[0]
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not 64 small hexadecimal digits", shown(_0))]
pub struct NotADigest(String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let wrong = || NotADigest(text.chars().take(80).collect());
        if text.len() != 64 || text.bytes().any(|digit| !matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| wrong())?;
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Self, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// A job's name: the digest of what decides its proof.
pub type JobName = Digest;

/// What is to be proven: all that decides the bytes of the proof, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// What kind of statement: `goldilocks`, `circle` or `cairo`.
    pub kind: String,
    /// Statement and options, by the names that they have on the command line. [`crate::Prover::normal`] writes the same request the same way.
    pub words: BTreeMap<String, String>,
    /// Files that the statement is about, by their role, as their digests; the farm's store has their bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Digest>,
}

impl Job {
    /// Its name: SHA-256 over `polystark job 1`, kind, words and inputs, each string behind its length and each map behind its, as
    /// little-endian 64-bit numbers.
    pub fn name(&self) -> JobName {
        fn text(hash: &mut Sha256, text: &str) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        let mut hash = Sha256::new();
        text(&mut hash, "polystark job 1");
        text(&mut hash, &self.kind);
        hash.update((self.words.len() as u64).to_le_bytes());
        for (word, value) in &self.words {
            text(&mut hash, word);
            text(&mut hash, value);
        }
        hash.update((self.inputs.len() as u64).to_le_bytes());
        for (role, digest) in &self.inputs {
            text(&mut hash, role);
            hash.update(digest.0);
        }
        Digest(hash.finalize().into())
    }
}

/// Which jobs go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before all others.
    High,
    /// As they come.
    #[default]
    Normal,
    /// When there is nothing else.
    Low,
}

impl Priority {
    /// All, the first to go first.
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

/// A job, and when it is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// What is to be proven.
    pub job: Job,
    /// Which goes first.
    #[serde(default)]
    pub priority: Priority,
    /// Milliseconds since 1970 after which nobody wants the proof: a job that was not begun by then fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}
