//! Digests of Poseidon252 as files have them: the decimal digits of a felt, and no other text.
//!
//! The type of the reference writes the same and reads more, and takes two hundred times as long to write.

use std::fmt::{Display, Formatter};

use circle_proof::channel::poseidon252::{from_text, to_text};
use circle_proof::stwo_verifier::StwoHasher;
use gpu_hal::{Digest, HashFn};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stwo::core::fields::m31::BaseField;
use stwo::core::vcs_lifted::MerkleHasherLifted;
use stwo::core::vcs_lifted::poseidon252_merkle::Poseidon252MerkleHasher;

/// The hash function of stwo, with digests of this module.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FeltHasher(#[serde(skip)] Poseidon252MerkleHasher);

/// A digest, below the prime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Felt(Digest);

impl StwoHasher for FeltHasher {
    fn to_stwo(digest: &Digest) -> Option<Felt> {
        HashFn::Poseidon252.is_digest(digest).then_some(Felt(*digest))
    }

    fn from_stwo(hash: &Felt) -> Digest {
        hash.0
    }
}

impl MerkleHasherLifted for FeltHasher {
    type Hash = Felt;

    fn hash_children((left, right): (Felt, Felt)) -> Felt {
        let felt = |felt: Felt| Poseidon252MerkleHasher::to_stwo(&felt.0).expect("it is below the prime");
        let parent = Poseidon252MerkleHasher::hash_children((felt(left), felt(right)));
        Felt(Poseidon252MerkleHasher::from_stwo(&parent))
    }

    fn update_leaf(&mut self, column_values: &[BaseField]) {
        self.0.update_leaf(column_values);
    }

    fn finalize(self) -> Felt {
        Felt(Poseidon252MerkleHasher::from_stwo(&self.0.finalize()))
    }
}

impl stwo::core::vcs::hash::Hash for Felt {}

impl Display for Felt {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&to_text(&self.0))
    }
}

impl Serialize for Felt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&to_text(&self.0))
    }
}

impl<'de> Deserialize<'de> for Felt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Felt;

            fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str("the decimal digits of a felt")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Felt, E> {
                let digest = from_text(text.as_bytes());
                digest.map(Felt).ok_or_else(|| E::custom("a felt is not written as its decimal digits alone"))
            }
        }

        deserializer.deserialize_str(Text)
    }
}
