//! Transcripts: prover and verifier mix all messages, and draw values that depend on them (section 4).
//!
//! Each step of [`Channel`] equals the step of stwo's channel of the same name, to the bit: tests compare them.

pub mod poseidon252;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Debug;

use blake2::{Blake2s256, Digest as _};
use field::{CanonicalBytes, M31, PrimeField, QM31};
use gpu_hal::hash::reduced;
use gpu_hal::{Digest, HashFn, NonceSearch};

/// The state of a transcript. Every step changes it. Provers and verifiers hold one behind a pointer, so that they are
/// compiled once for all channels.
pub trait Channel: Debug + Send + Sync {
    /// The digest of all that was mixed.
    fn digest(&self) -> Digest;

    /// Mixes 32-bit words, as one message.
    fn mix_words(&mut self, words: &[u32]);

    /// Mixes extension elements, as one message.
    fn mix_felts(&mut self, felts: &[QM31]);

    /// Mixes the root of a tree.
    fn mix_root(&mut self, root: &Digest);

    /// Draws uniform extension elements.
    fn draw_felts(&mut self, count: usize) -> Vec<QM31>;

    /// Draws a block of uniform words, as many as the channel's hash function gives at once.
    fn draw_words(&mut self) -> Vec<u32>;

    /// The search for a nonce with `bits` bits of work.
    fn work(&self, bits: u32) -> NonceSearch;

    /// The same state once more.
    fn boxed(&self) -> Box<dyn Channel>;

    /// Mixes a number of 64 bits.
    fn mix_u64(&mut self, value: u64) {
        self.mix_words(&[value as u32, (value >> 32) as u32]);
    }

    /// Draws one uniform extension element. The rest of the block that it comes from is dropped.
    fn draw_felt(&mut self) -> QM31 {
        self.draw_felts(1)[0]
    }

    /// Draws `count` positions on a domain of `2^log_domain` points, in no order, with repeats.
    fn draw_positions(&mut self, log_domain: u32, count: usize) -> Vec<usize> {
        let mut positions = Vec::new();
        while positions.len() < count {
            let words = self.draw_words();
            let left = count - positions.len();
            positions.extend(words.into_iter().take(left).map(|word| word as usize & ((1 << log_domain) - 1)));
        }
        positions
    }
}

impl Clone for Box<dyn Channel> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// The transcript of a sum-check.
impl sumcheck::Channel<QM31> for Box<dyn Channel> {
    fn mix(&mut self, elements: &[QM31]) {
        self.mix_felts(elements);
    }

    fn draw(&mut self) -> QM31 {
        self.draw_felt()
    }
}

/// Blake2s-256; every digest can be reduced: its words, little-endian, modulo `p = 2^31 - 1`.
#[derive(Clone, Debug)]
pub struct Blake2sChannel {
    digest: Digest,
    /// Blocks that were drawn since something was mixed.
    draws: u32,
    reduces: bool,
}

/// First word of the hashed block of a proof of work.
pub(crate) const WORK_PREFIX: u32 = 0x1234_5678;

impl Blake2sChannel {
    /// Nothing is mixed. `reduces`: every digest is reduced.
    pub const fn new(reduces: bool) -> Self {
        Self { digest: [0; 32], draws: 0, reduces }
    }

    fn hash(&self, parts: &[&[u8]]) -> Digest {
        let mut hasher = Blake2s256::new();
        parts.iter().for_each(|part| hasher.update(part));
        let digest = hasher.finalize().into();
        if self.reduces { reduced(digest) } else { digest }
    }

    fn mix(&mut self, message: &[u8]) {
        self.digest = self.hash(&[&self.digest, message]);
        self.draws = 0;
    }

    fn draw_block(&mut self) -> [u32; 8] {
        // The last byte tells a draw from a word that is mixed.
        let block = self.hash(&[&self.digest, &self.draws.to_le_bytes(), &[0]]);
        self.draws = self.draws.wrapping_add(1);
        let (words, _) = block.as_chunks::<4>();
        core::array::from_fn(|at| u32::from_le_bytes(words[at]))
    }

    /// Eight uniform base elements: blocks are drawn until all words of one are below `2 p`.
    fn draw_bases(&mut self) -> [M31; 8] {
        loop {
            let block = self.draw_block();
            if block.iter().all(|word| u64::from(*word) < 2 * M31::ORDER) {
                return block.map(|word| M31::reduce(word.into()));
            }
        }
    }
}

impl Channel for Blake2sChannel {
    fn digest(&self) -> Digest {
        self.digest
    }

    fn mix_words(&mut self, words: &[u32]) {
        let message: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.mix(&message);
    }

    fn mix_felts(&mut self, felts: &[QM31]) {
        let mut message = Vec::with_capacity(felts.len() * QM31::BYTES);
        felts.iter().for_each(|felt| felt.write_bytes(&mut message));
        self.mix(&message);
    }

    fn mix_root(&mut self, root: &Digest) {
        self.mix(root);
    }

    fn draw_felts(&mut self, count: usize) -> Vec<QM31> {
        let mut felts = Vec::with_capacity(count);
        while felts.len() < count {
            let [a, b, c, d, e, f, g, h] = self.draw_bases();
            felts.extend([QM31::new(a, b, c, d), QM31::new(e, f, g, h)]);
        }
        felts.truncate(count);
        felts
    }

    fn draw_words(&mut self) -> Vec<u32> {
        self.draw_block().to_vec()
    }

    fn work(&self, bits: u32) -> NonceSearch {
        let prefix = self.hash(&[&WORK_PREFIX.to_le_bytes(), &[0; 12], &self.digest, &bits.to_le_bytes()]);
        let hash = if self.reduces { HashFn::Blake2sM31 } else { HashFn::Blake2s };
        NonceSearch { hash, prefix, bits }
    }

    fn boxed(&self) -> Box<dyn Channel> {
        Box::new(self.clone())
    }
}
