//! Constants of the prime of felts, as kernels have them.

use crate::FELT_WORDS;

/// A number below `2^256`, least significant word first.
pub type Felt = [u32; FELT_WORDS];

/// Words of [`Prime::words`].
pub const PRIME_WORDS: usize = 2 * FELT_WORDS + 1;

/// An odd prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prime(pub Felt);

impl Prime {
    /// `2a mod p` of a number below `p`.
    fn double(&self, a: &Felt) -> Felt {
        let (mut twice, mut carry) = ([0; FELT_WORDS], 0);
        for (twice, word) in twice.iter_mut().zip(a) {
            (*twice, carry) = (word << 1 | carry, word >> 31);
        }
        let (mut less, mut borrow) = ([0; FELT_WORDS], false);
        for ((less, word), prime) in less.iter_mut().zip(&twice).zip(&self.0) {
            let (difference, first) = word.overflowing_sub(*prime);
            let (difference, second) = difference.overflowing_sub(u32::from(borrow));
            (*less, borrow) = (difference, first | second);
        }
        if carry < u32::from(borrow) { twice } else { less }
    }

    /// `2^256 a mod p` of a number below `p`: its Montgomery form.
    pub fn montgomery(&self, a: &Felt) -> Felt {
        (0..32 * FELT_WORDS).fold(*a, |a, _| self.double(&a))
    }

    /// `2^(256 times) mod p`.
    pub fn power(&self, times: u32) -> Felt {
        (0..times).fold(ONE, |power, _| self.montgomery(&power))
    }

    /// `p`, `2^768 mod p` and `-1/p mod 2^32`.
    pub fn words(&self) -> [u32; PRIME_WORDS] {
        let mut words = [0; PRIME_WORDS];
        words[..FELT_WORDS].copy_from_slice(&self.0);
        words[FELT_WORDS..2 * FELT_WORDS].copy_from_slice(&self.power(3));
        words[2 * FELT_WORDS] = self.negative_inverse();
        words
    }

    /// `-1/p mod 2^32`, by Newton's iteration: from 3 right bits, as `p p = 1 mod 8`, to twice as many at each step.
    pub fn negative_inverse(&self) -> u32 {
        let prime = self.0[0];
        let step = |x: u32, _| x.wrapping_mul(2u32.wrapping_sub(prime.wrapping_mul(x)));
        (0..4).fold(prime, step).wrapping_neg()
    }
}

/// The number 1.
pub const ONE: Felt = [1, 0, 0, 0, 0, 0, 0, 0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_cairos_prime() {
        // p = 2^251 + 17 2^192 + 1.
        let prime = Prime([1, 0, 0, 0, 0, 0, 17, 0x0800_0000]);
        // 2^256 - 31 p.
        assert_eq!(
            prime.power(1),
            [0xffff_ffe1, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0xffff_fdf0, 0x07ff_ffff]
        );
        assert_eq!(prime.words()[16], u32::MAX);
        assert_eq!(prime.power(2)[7], 0x07ff_d4ab, "of 2^512 mod p, as lambdaworks has it");
    }
}
