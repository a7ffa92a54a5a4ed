//! Suites of lambdaworks' format: the hash functions of a proof by one name.

use alloc::boxed::Box;

use gpu_hal::HashFn;

use crate::Transcript;
use crate::channel::Channel;

proof_format::suites! {
    /// All that a proof of lambdaworks' format has beside its protocol: the hash function of its trees, its transcript,
    /// the order of its nonces. Options carry a suite, files name it, and the default seed binds it. Suites of compact
    /// proofs have other names, [`crate::compact::Suite`]: so a suite says the format, too.
    ///
    /// A suite is one combination that is specified and tested. Another hash function is another suite here, and no
    /// combination can be asked for that is not one.
    pub enum Suite {
        /// Trees of Keccak-256 in the format of lambdaworks, whose transcript and work are Keccak-256's.
        #[default]
        Keccak256 = "keccak256" {
            number: 1, tree: HashFn::Keccak256, hash_bits: 128, new_channel: |seed| Box::new(Transcript::new(seed))
        }
        /// The same with trees of Poseidon2 over Goldilocks. Four elements have slightly fewer than `2^256` values.
        Poseidon2 = "poseidon2" {
            number: 2, tree: HashFn::Poseidon2, hash_bits: 127, new_channel: |seed| Box::new(Transcript::new(seed))
        }
    }

    /// Its number in the default seed.
    pub(crate) number: u16,
    /// The hash function of the trees.
    pub tree: HashFn,
    /// Bits of work that a collision of the trees' hash function takes, at least.
    pub hash_bits: u32,
    /// Makes a transcript.
    new_channel: fn(&[u8]) -> Box<dyn Channel>,
}

impl Suite {
    /// A transcript that has absorbed the seed.
    pub fn channel(self, seed: &[u8]) -> Box<dyn Channel> {
        self.new_channel()(seed)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    /// Files and seeds tell suites apart, and name nothing else.
    #[test]
    fn a_suite_has_one_name_and_one_number() {
        for (at, suite) in Suite::ALL.into_iter().enumerate() {
            assert_eq!(suite.to_string().parse(), Ok(suite));
            let others = &Suite::ALL[..at];
            assert!(others.iter().all(|other| (other.name(), other.number()) != (suite.name(), suite.number())));
            assert!(suite.number() > 0 && proof_format::file::is_name(suite.name()));
        }
        for unknown in ["", "Keccak256", "keccak256-zk", "blake2s", "keccak256+none"] {
            let error = unknown.parse::<Suite>().expect_err("no suite");
            assert!(error.contains(&format!("'{unknown}'")) && error.contains("poseidon2"), "{error}");
        }
    }
}
