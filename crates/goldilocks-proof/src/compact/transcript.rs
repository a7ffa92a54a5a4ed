//! The transcript (section 4): a chain of hashes with labels, and words that leave it as it is.

use alloc::vec::Vec;

use field::{ExtensionField, Goldilocks, PrimeField};
use gpu_hal::{Digest, HashFn, NonceSearch};
use sha3::{Digest as _, Keccak256};

use super::Draw;
use crate::elements::put_coordinates;

/// Stands before the number of a block of words.
const WORDS: u8 = 0x00;
/// Stands before the bits of a proof of work.
const WORK: u8 = 0xFF;

/// The state, and how many words were taken of it.
#[derive(Clone, Debug)]
pub(super) struct Transcript {
    state: Digest,
    words: u64,
}

impl Transcript {
    /// The state after the statement.
    pub(super) fn new(statement: &[u8]) -> Self {
        Self { state: Keccak256::digest(statement).into(), words: 0 }
    }

    /// Absorbs a message.
    pub(super) fn absorb(&mut self, label: u8, data: &[u8]) {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([label]);
        let hasher = hasher.chain_update((data.len() as u64).to_be_bytes()).chain_update(data);
        *self = Self { state: hasher.finalize().into(), words: 0 };
    }

    /// Absorbs the bytes of elements.
    pub(super) fn absorb_elements<E: ExtensionField<Goldilocks>>(&mut self, label: u8, elements: &[E]) {
        let mut bytes = Vec::with_capacity(8 * E::DEGREE * elements.len());
        elements.iter().for_each(|element| put_coordinates(&mut bytes, element));
        self.absorb(label, &bytes);
    }

    /// The search for the nonce of a number of bits.
    pub(super) fn search(&self, bits: u32) -> NonceSearch {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([WORK]);
        let prefix = hasher.chain_update(u64::from(bits).to_be_bytes()).finalize().into();
        NonceSearch { hash: HashFn::Keccak256, prefix, bits }
    }

    /// Begins a draw, after the nonce of its work if it has one.
    pub(super) fn begin(&mut self, draw: Draw, nonce: Option<u64>) {
        match nonce {
            Some(nonce) => self.absorb(draw.label(), &nonce.to_be_bytes()),
            None => self.absorb(draw.label(), &[]),
        }
    }

    fn word(&mut self) -> u64 {
        let hasher = Keccak256::new().chain_update(self.state).chain_update([WORDS]);
        let block: Digest = hasher.chain_update((self.words / 4).to_be_bytes()).finalize().into();
        let mut word = [0; 8];
        word.copy_from_slice(&block[8 * (self.words % 4) as usize..][..8]);
        self.words += 1;
        u64::from_be_bytes(word)
    }

    /// A uniform element.
    pub(super) fn element<E: ExtensionField<Goldilocks>>(&mut self) -> E {
        let mut element = E::ZERO;
        for index in 0..E::DEGREE {
            let coordinate = loop {
                if let Some(coordinate) = Goldilocks::from_canonical(self.word()) {
                    break coordinate;
                }
            };
            element += E::basis(index) * coordinate;
        }
        element
    }

    /// An index below `2^log`, which is 1 to 32 bits.
    pub(super) fn index(&mut self, log: u32) -> u64 {
        self.word() >> (u64::BITS - log)
    }

    /// An out-of-domain point: its power, by the number of composition parts, is not in the base field.
    pub(super) fn point<E: ExtensionField<Goldilocks>>(&mut self, parts: usize) -> E {
        loop {
            let z: E = self.element();
            if z.pow(parts as u64).as_base().is_none() {
                return z;
            }
        }
    }
}

#[cfg(test)]
impl Transcript {
    pub(super) fn state(&self) -> Digest {
        self.state
    }
}
