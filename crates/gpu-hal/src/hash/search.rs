//! Proofs of work: a search that carries its own target and order.

use super::{Digest, HashFn};

/// A proof-of-work search: for the first nonce, in the order of the hash function's [`super::Nonces`], that does the
/// work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceSearch {
    /// The hash function.
    pub hash: HashFn,
    /// The prefix that is hashed with the nonce.
    pub prefix: Digest,
    /// Difficulty in bits, at most 64.
    pub bits: u32,
}

impl NonceSearch {
    /// Whether a nonce will do: [`HashFn::work`] is at least as many bits.
    pub fn is_work(&self, nonce: u64) -> bool {
        self.hash.work(&self.prefix, nonce).is_some_and(|bits| bits >= self.bits)
    }
}
