//! Suites of the compact format (section 1).

use gpu_hal::HashFn;
use proof_format::Hiding;

proof_format::suites! {
    /// All that a compact proof has beside its protocol and its options: the hash function of its trees, its hiding.
    /// The transcript and the work are Keccak-256's in every suite. Names and numbers are others than those of
    /// [`crate::Suite`], so that a file says by its suite which format it has.
    pub enum Suite {
        /// Trees of Keccak-256.
        #[default]
        Keccak256 = "keccak256-compact" {
            number: 3, tree: HashFn::Keccak256, hash_bits: 128, hiding: Hiding::None
        }
    }

    /// Its number in the bytes of the options.
    pub(crate) number: u16,
    /// The hash function of the trees.
    pub tree: HashFn,
    /// Bits of work that a collision of the trees' hash function takes, at least.
    pub hash_bits: u32,
    /// The hiding of the witness.
    pub hiding: Hiding,
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
