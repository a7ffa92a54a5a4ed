//! Jobs and their names.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use proof_format::text::excerpt;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest, written as 64 small hexadecimal digits and read in either case.
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

    /// The first and the last digest that begin with these digits; `None` if they are none, or too many.
    pub(crate) fn beginning(text: &str) -> Option<(Self, Self)> {
        let missing = 64_usize.checked_sub(text.len())?;
        let filled = |digit: &str| format!("{text}{}", digit.repeat(missing)).parse().ok();
        Some((filled("0")?, filled("f")?))
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
#[error("`{}` is not 64 hexadecimal digits", excerpt(_0))]
pub struct NotADigest(String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotADigest(text.chars().take(80).collect()))?;
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

/// A job's name: the digest of all that decides its proof.
pub type JobName = Digest;

/// A statement to prove: all that decides the bytes of the proof, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The kind of statement: `goldilocks`, `circle`, `cairo` or `cairo-client`.
    pub kind: String,
    /// Statement and options, by the names that they have on the command line. [`crate::Prover::normal`] writes the
    /// same request the same way.
    #[serde(deserialize_with = "unique")]
    pub words: BTreeMap<String, String>,
    /// Files that the statement is about, by their role, as their digests; the farm's store has their bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "unique")]
    pub inputs: BTreeMap<String, Digest>,
}

/// A map of which no key is there twice: another reader might take the other value.
fn unique<'de, D: Deserializer<'de>, V: Deserialize<'de>>(from: D) -> Result<BTreeMap<String, V>, D::Error> {
    struct Unique<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Unique<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = from.next_entry::<String, V>()? {
                if map.contains_key(&key) {
                    return Err(de::Error::custom(format_args!("`{key:.80}` is there twice")));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }

    from.deserialize_map(Unique(PhantomData))
}

impl Job {
    /// Its name: SHA-256 over `polystark job 1`, kind, words and inputs, each string behind its length and each map
    /// behind its, as little-endian 64-bit numbers.
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

proof_format::named! {
    /// The priority of a job.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Priority {
        /// Before all others.
        High = "high",
        /// As they come.
        #[default]
        Normal = "normal",
        /// When there is nothing else.
        Low = "low",
    }
}

/// A job, and when it is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// The job to prove.
    pub job: Job,
    /// The priority.
    #[serde(default)]
    pub priority: Priority,
    /// Milliseconds since 1970 after which nobody wants the proof: a job that was not begun by then fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_their_beginning() {
        let name = Digest::of(b"a job");
        let text = name.to_string();
        for length in [0, 1, 12, 63, 64] {
            let (first, last) = Digest::beginning(&text[..length]).unwrap();
            assert!(first <= name && name <= last && (length < 64 || first == last));
            assert_eq!(Digest::beginning(&text[..length].to_uppercase()), Some((first, last)));
        }
        let (first, last) = Digest::beginning("00ff").unwrap();
        assert!(!(first..=last).contains(&name));
        for wrong in ["0x", "+f", "g", "\u{e9}", &"0".repeat(65)] {
            assert_eq!(Digest::beginning(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn no_word_and_no_input_is_there_twice() {
        let error = |text: &str| serde_json::from_str::<Job>(text).expect_err(text).to_string();
        let twice = error(r#"{"kind": "circle", "words": {"rows": "4", "air": "a", "rows": "8"}}"#);
        assert!(twice.contains("`rows` is there twice"), "{twice}");
        let digest = Digest::of(b"");
        let inputs = format!(r#"{{"kind": "cairo", "words": {{}}, "inputs": {{"p": "{digest}", "p": "{digest}"}}}}"#);
        assert!(error(&inputs).contains("`p` is there twice"));
        assert!(error(r#"{"kind": "a", "kind": "b", "words": {}}"#).contains("duplicate"));
        let once = r#"{"kind": "circle", "words": {"rows": "4"}}"#;
        assert_eq!(serde_json::to_value(serde_json::from_str::<Job>(once).unwrap()).unwrap()["words"]["rows"], "4");
    }
}
