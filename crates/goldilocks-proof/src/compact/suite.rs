//! Suites of the compact format (section 1).

use alloc::boxed::Box;

use gpu_hal::HashFn;

use super::transcript::Transcript;
use crate::channel::Channel;

proof_format::suites! {
    /// All that a compact proof has beside its protocol and its options: the hash function of its trees and its
    /// transcript. Names and numbers are others than those of [`crate::Suite`], so that a file says by its suite
    /// which format it has.
    pub enum Suite {
        /// Trees, transcript and work of Keccak-256.
        #[default]
        Keccak256 = "keccak256-compact" {
            number: 3, tree: HashFn::Keccak256, hash_bits: 128,
            new_channel: |statement| Box::new(Transcript::new(statement))
        }
    }

    /// Its number in the bytes of the options.
    pub(crate) number: u16,
    /// The hash function of the trees.
    pub tree: HashFn,
    /// Bits of work that a collision of the trees' hash function takes, at least.
    pub hash_bits: u32,
    /// Makes a transcript.
    new_channel: fn(&[u8]) -> Box<dyn Channel>,
}

impl Suite {
    /// A transcript that has absorbed the statement.
    pub fn channel(self, statement: &[u8]) -> Box<dyn Channel> {
        self.new_channel()(statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_suite_of_another_format_has_its_name_or_number() {
        for suite in Suite::ALL {
            let is_other = |other: crate::Suite| other.name() != suite.name() && other.number() != suite.number();
            assert!(crate::Suite::ALL.into_iter().all(is_other) && proof_format::file::is_name(suite.name()));
        }
    }
}
