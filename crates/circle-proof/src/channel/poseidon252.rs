//! Poseidon252: its transcript, and its digests as text.
//!
//! stwo writes a felt as its decimal digits, so these stand in the bytes of a proof in place of the 32 of a digest.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use field::{M31, QM31};
use gpu_hal::hash::poseidon252::{self, Felt252};
use gpu_hal::{Digest, HashFn, NonceSearch};

use super::{Channel, WORK_PREFIX};

/// Words of 32 bits that a felt takes or gives.
const WORDS: usize = 7;
/// The third element of the state where values are drawn: no hash has it there.
const DRAW: u64 = 3;

/// Poseidon over the Stark field, as stwo's channel of this name has it.
#[derive(Clone, Debug, Default)]
pub struct Poseidon252Channel {
    digest: Felt252,
    /// Felts that were drawn since something was mixed.
    draws: u32,
}

impl Poseidon252Channel {
    fn become_digest(&mut self, digest: Felt252) {
        *self = Self { digest, draws: 0 };
    }

    /// Mixes felts, as one message.
    fn mix(&mut self, felts: impl Iterator<Item = Felt252>) {
        let message: Vec<Felt252> = core::iter::once(self.digest).chain(felts).collect();
        self.become_digest(poseidon252::sponge(&message));
    }

    /// The lowest `N` groups of `bits` bits of a felt, the lowest first.
    fn draw_groups<const N: usize>(&mut self, bits: u32) -> [u32; N] {
        let mut limbs = poseidon252::compress(self.digest, u64::from(self.draws).into(), DRAW.into()).limbs();
        self.draws = self.draws.wrapping_add(1);
        core::array::from_fn(|_| {
            let group = limbs[0] & ((1 << bits) - 1);
            for at in 0..4 {
                limbs[at] = limbs[at] >> bits | limbs.get(at + 1).map_or(0, |next| next << (64 - bits));
            }
            group as u32
        })
    }
}

impl Channel for Poseidon252Channel {
    fn digest(&self) -> Digest {
        self.digest.to_bytes()
    }

    /// Seven words a felt, the first one highest. A last felt of fewer is filled up with zeros and has their number in
    /// bits that no word reaches.
    fn mix_words(&mut self, words: &[u32]) {
        self.mix(words.chunks(WORDS).map(|words| {
            let filled = words.iter().copied().chain(core::iter::repeat(0)).take(WORDS);
            poseidon252::packed(filled, 32, if words.len() < WORDS { words.len() as u64 } else { 0 })
        }));
    }

    /// Two extension elements a felt, coordinate after coordinate, in base `2^31` behind a digit of 1.
    fn mix_felts(&mut self, felts: &[QM31]) {
        self.mix(felts.chunks(2).map(|felts| {
            let coordinates = felts.iter().flat_map(|felt| felt.0).map(M31::value);
            poseidon252::packed(core::iter::once(1).chain(coordinates), 31, 0)
        }));
    }

    /// The root is a digest of the suite's: codecs refuse others. Other bytes are mixed as a number mod p.
    fn mix_root(&mut self, root: &Digest) {
        self.become_digest(poseidon252::pair(self.digest, Felt252::from_bytes_reduced(root)));
    }

    fn mix_u64(&mut self, value: u64) {
        self.become_digest(poseidon252::pair(self.digest, value.into()));
    }

    /// Eight base elements of a felt, of 31 bits each: almost uniform.
    fn draw_felts(&mut self, count: usize) -> Vec<QM31> {
        let mut felts = Vec::with_capacity(count + 1);
        while felts.len() < count {
            let [a, b, c, d, e, f, g, h] = self.draw_groups(31).map(|group: u32| M31::reduce(group.into()));
            felts.extend([QM31::new(a, b, c, d), QM31::new(e, f, g, h)]);
        }
        felts.truncate(count);
        felts
    }

    fn draw_words(&mut self) -> Vec<u32> {
        self.draw_groups::<WORDS>(32).to_vec()
    }

    fn work(&self, bits: u32) -> NonceSearch {
        let prefix = poseidon252::sponge(&[u64::from(WORK_PREFIX).into(), self.digest, u64::from(bits).into()]);
        NonceSearch { hash: HashFn::Poseidon252, prefix: prefix.to_bytes(), bits }
    }

    fn boxed(&self) -> Box<dyn Channel> {
        Box::new(self.clone())
    }
}

/// Most decimal digits of a felt.
pub(crate) const MOST_DIGITS: usize = 76;

/// The decimal digits of a digest, a little-endian number.
pub fn to_text(digest: &Digest) -> String {
    /// The largest power of ten of one limb, and its zeros.
    const PART: (u128, usize) = (10_000_000_000_000_000_000, 19);
    let mut limbs: Vec<u64> = digest.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let mut text = String::new();
    while limbs.iter().any(|limb| *limb != 0) {
        let mut rest = 0u128;
        for limb in limbs.iter_mut().rev() {
            let number = rest << 64 | u128::from(*limb);
            (*limb, rest) = ((number / PART.0) as u64, number % PART.0);
        }
        text = alloc::format!("{rest:0width$}{text}", width = PART.1);
    }
    let digits = text.trim_start_matches('0');
    String::from(if digits.is_empty() { "0" } else { digits })
}

/// The digest with these decimal digits; `None` if they are not the [`to_text`] of some digest.
pub fn from_text(text: &[u8]) -> Option<Digest> {
    if text.is_empty() || text.len() > MOST_DIGITS || (text.len() > 1 && text[0] == b'0') {
        return None;
    }
    let mut limbs = [0u64; 4];
    for digit in text {
        let mut carry = u128::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        for limb in &mut limbs {
            carry += u128::from(*limb) * 10;
            (*limb, carry) = (carry as u64, carry >> 64);
        }
    }
    // 10^76 is below 2^256.
    Felt252::from_limbs(limbs).map(Felt252::to_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_have_one_text() {
        let p = "3618502788666131213697322783095070105623107215331596699973092056135872020481";
        assert_eq!(p.len(), MOST_DIGITS);
        let last = (Felt252::ZERO - Felt252::ONE).to_bytes();
        assert_eq!(to_text(&last), p.replace("481", "480"));
        for number in [Felt252::ZERO, Felt252::ONE, 10_u64.pow(19).into(), Felt252::reduced([0, 1, 0, 0])] {
            let text = to_text(&number.to_bytes());
            assert_eq!(from_text(text.as_bytes()), Some(number.to_bytes()), "{text}");
            assert_eq!(from_text(alloc::format!("0{text}").as_bytes()), None, "{text}");
        }
        assert_eq!(from_text(to_text(&last).as_bytes()), Some(last));
        for text in ["", "00", "+1", "-1", " 1", "1 ", "0x1", p, &"9".repeat(MOST_DIGITS), &"1".repeat(77)] {
            assert_eq!(from_text(text.as_bytes()), None, "{text}");
        }
    }
}
