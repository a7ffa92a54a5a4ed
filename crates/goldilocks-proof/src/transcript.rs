//! The channel of lambdaworks (section 3): a running Keccak-256 absorber, with field elements expanded by ChaCha20.
//!
//! It absorbs nothing by itself: the data that binds the statement is in the seed, see [`crate::seed`].

use alloc::vec;
use core::fmt;

use field::{ExtensionField, Field, Goldilocks, Hex, PrimeField};
use gpu_hal::{Digest, NonceSearch};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha3::{Digest as _, Keccak256};

use crate::channel::{Channel, Message};
use crate::{Draw, grinding};

/// The transcript's state: the bytes absorbed since the last sample, as a running hash.
#[derive(Clone)]
pub struct Transcript {
    absorber: Keccak256,
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transcript({})", Hex(&self.state()))
    }
}

impl Transcript {
    /// A transcript that has absorbed `seed`.
    pub fn new(seed: &[u8]) -> Self {
        Self { absorber: Keccak256::new_with_prefix(seed) }
    }

    /// Absorbs bytes as they are.
    pub fn append_bytes(&mut self, bytes: &[u8]) {
        self.absorber.update(bytes);
    }

    /// Absorbs the canonical bytes of an element: its coordinates, 8 bytes big-endian each.
    pub fn append_element<E: ExtensionField<Goldilocks>>(&mut self, element: &E) {
        for coordinate in element.coordinates() {
            self.absorber.update(coordinate.value().to_be_bytes());
        }
    }

    /// The hash of the absorbed bytes; the state stays as it is. Grinding starts from it.
    pub fn state(&self) -> Digest {
        self.absorber.clone().finalize().into()
    }

    /// 32 bytes: the reversed hash of the state, which becomes the new state.
    pub fn sample_bytes(&mut self) -> [u8; 32] {
        let mut bytes: [u8; 32] = self.absorber.finalize_reset().into();
        bytes.reverse();
        self.absorber.update(bytes);
        bytes
    }

    /// A uniform element: the next 32 bytes are the key of a ChaCha20 stream, read as big-endian words; words that are
    /// not below the prime are skipped, the others are the coordinates in order.
    pub fn sample_element<E: ExtensionField<Goldilocks>>(&mut self) -> E {
        let mut coordinates = vec![Goldilocks::ZERO; E::DEGREE];
        self.draw_element(&mut coordinates);
        E::from_coordinates(&coordinates).expect("as many coordinates as its degree")
    }

    /// A uniform integer below `bound`: the first 8 bytes of a sample, big-endian, mod `bound`; values not below
    /// `(2^64 - 1) - (2^64 - 1) mod bound` are skipped. For a power of two too that is some of them: part of the
    /// protocol.
    ///
    /// `bound` 0 is taken as 1.
    pub fn sample_u64(&mut self, bound: u64) -> u64 {
        let bound = bound.max(1);
        let zone = u64::MAX - u64::MAX % bound;
        loop {
            let sample = self.sample_bytes();
            let [a, b, c, d, e, f, g, h, ..] = sample;
            let candidate = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
            if candidate < zone {
                return candidate % bound;
            }
        }
    }
}

/// Messages have no labels and no lengths, draws begin with nothing.
impl Channel for Transcript {
    fn absorb_root(&mut self, _: Message, root: &Digest) {
        self.append_bytes(root);
    }

    fn absorb_elements(&mut self, _: Message, coordinates: &[Goldilocks]) {
        coordinates.iter().for_each(|coordinate| self.append_element(coordinate));
    }

    fn begin(&mut self, _: Draw, nonce: Option<u64>) {
        if let Some(nonce) = nonce {
            self.append_bytes(&nonce.to_be_bytes());
        }
    }

    fn draw_element(&mut self, coordinates: &mut [Goldilocks]) {
        let mut stream = ChaCha20Rng::from_seed(self.sample_bytes());
        coordinates.fill_with(|| next_coordinate(&mut stream));
    }

    fn draw_index(&mut self, log: u32) -> u64 {
        self.sample_u64(1 << log)
    }

    fn work(&self, bits: u32) -> NonceSearch {
        grinding::search(&self.state(), bits)
    }
}

/// The next word of the stream that is below the prime.
fn next_coordinate(stream: &mut ChaCha20Rng) -> Goldilocks {
    loop {
        let mut word = [0; 8];
        stream.fill_bytes(&mut word);
        if let Some(value) = Goldilocks::from_canonical(u64::from_be_bytes(word)) {
            return value;
        }
    }
}
