//! Felts in Montgomery form, `x 2^256 mod p` in four words of 64 bits: any odd prime below `2^256`.

use gpu_hal::ir::FELT_WORDS;

use super::words::{LANES, Lanes, at};
use gpu_hal::ir::lowered::FeltOp;

const LIMBS: usize = 4;

/// A number below `2^256`, least significant word first.
type Limbs = [u64; LIMBS];

/// A felt for each row of a block.
pub(super) type Felts = [Limbs; LANES];

/// The prime and the numbers derived from it.
#[derive(Clone, Debug)]
pub(super) struct Modulus {
    prime: Limbs,
    /// `-1/p mod 2^64`.
    negative_inverse: u64,
    /// `2^512 mod p`.
    square: Limbs,
    /// Whether `p = 1 + h 2^192`, as Cairo's: then three of four products of a reduction are known.
    is_sparse: bool,
}

fn limbs(words: &[u32]) -> Limbs {
    let mut limbs = [0; LIMBS];
    for (limb, words) in limbs.iter_mut().zip(words.chunks_exact(2)) {
        *limb = u64::from(words[0]) | u64::from(words[1]) << 32;
    }
    limbs
}

#[inline(always)]
fn is_less(a: &Limbs, b: &Limbs) -> bool {
    let mut borrow = false;
    for (a, b) in a.iter().zip(b) {
        (_, borrow) = subtract(*a, *b, borrow);
    }
    borrow
}

#[inline(always)]
fn subtract(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(u64::from(borrow));
    (difference, first | second)
}

/// `a b + c + d`: low word, high word.
#[inline(always)]
fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let sum = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    (sum as u64, (sum >> 64) as u64)
}

/// `a - b` if that is not negative, else `a`; `carry` is a bit `2^256` of `a`.
#[inline(always)]
fn reduce(a: Limbs, carry: bool, b: &Limbs) -> Limbs {
    let (mut reduced, mut borrow) = ([0; LIMBS], false);
    for k in 0..LIMBS {
        (reduced[k], borrow) = subtract(a[k], b[k], borrow);
    }
    if carry || !borrow { reduced } else { a }
}

impl Modulus {
    pub(super) fn new(words: &[u32; FELT_WORDS]) -> Self {
        let prime = limbs(words);
        // Every step doubles the number of right bits: 5, 10, 20, 40, 80.
        let mut inverse = prime[0].wrapping_mul(3) ^ 2;
        for _ in 0..4 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime[0].wrapping_mul(inverse)));
        }
        let is_sparse = prime[..3] == [1, 0, 0];
        let mut modulus = Self { prime, negative_inverse: inverse.wrapping_neg(), square: [0; LIMBS], is_sparse };
        // 1, doubled 512 times.
        let mut power = [1, 0, 0, 0];
        for _ in 0..512 {
            power = modulus.add(&power, &power);
        }
        modulus.square = power;
        modulus
    }

    #[inline(always)]
    fn add(&self, a: &Limbs, b: &Limbs) -> Limbs {
        let (mut sum, mut carry) = ([0; LIMBS], false);
        for k in 0..LIMBS {
            let (first, over) = a[k].overflowing_add(b[k]);
            let (second, again) = first.overflowing_add(u64::from(carry));
            sum[k] = second;
            carry = over | again;
        }
        reduce(sum, carry, &self.prime)
    }

    #[inline(always)]
    fn sub(&self, a: &Limbs, b: &Limbs) -> Limbs {
        let (mut difference, mut borrow) = ([0; LIMBS], false);
        for k in 0..LIMBS {
            (difference[k], borrow) = subtract(a[k], b[k], borrow);
        }
        // The prime is added where the difference is negative.
        let (mask, mut carry) = (0u64.wrapping_sub(u64::from(borrow)), 0);
        for (limb, prime) in difference.iter_mut().zip(&self.prime) {
            let sum = u128::from(*limb) + u128::from(prime & mask) + carry;
            *limb = sum as u64;
            carry = sum >> 64;
        }
        difference
    }

    /// `a b 2^-256 mod p`, word by word: the term added to the sum makes its lowest word zero.
    #[inline(always)]
    fn multiply<const SPARSE: bool>(&self, a: &Limbs, b: &Limbs) -> Limbs {
        let (mut sum, mut top) = ([0u64; LIMBS], 0u64);
        for a in a {
            let mut carry = 0;
            for (sum, b) in sum.iter_mut().zip(b) {
                (*sum, carry) = multiply_add(*a, *b, *sum, carry);
            }
            let (above, over) = top.overflowing_add(carry);
            let factor = sum[0].wrapping_mul(if SPARSE { u64::MAX } else { self.negative_inverse });
            let (mut shifted, mut carry) = ([0; LIMBS], 0);
            if SPARSE {
                // The lowest word and the factor are zero together, or 2^64 together.
                let mut ripple = factor != 0;
                for k in 1..3 {
                    (shifted[k - 1], ripple) = sum[k].overflowing_add(u64::from(ripple));
                }
                (shifted[2], carry) = multiply_add(factor, self.prime[3], sum[3], u64::from(ripple));
            } else {
                (_, carry) = multiply_add(factor, self.prime[0], sum[0], carry);
                for k in 1..LIMBS {
                    (shifted[k - 1], carry) = multiply_add(factor, self.prime[k], sum[k], carry);
                }
            }
            let (last, again) = above.overflowing_add(carry);
            shifted[LIMBS - 1] = last;
            sum = shifted;
            top = u64::from(over) + u64::from(again);
        }
        reduce(sum, top != 0, &self.prime)
    }

    #[inline(always)]
    fn mul(&self, a: &Limbs, b: &Limbs) -> Limbs {
        if self.is_sparse { self.multiply::<true>(a, b) } else { self.multiply::<false>(a, b) }
    }

    /// The Montgomery form of a number below the prime.
    pub(super) fn montgomery(&self, words: &[u32; FELT_WORDS]) -> Limbs {
        self.mul(&limbs(words), &self.square)
    }

    /// `1/a` of a number in Montgomery form that is not zero: `a^(p - 2)`.
    fn inverse(&self, a: &Limbs) -> Limbs {
        let mut exponent = self.prime;
        let mut borrow = false;
        for (k, limb) in exponent.iter_mut().enumerate() {
            (*limb, borrow) = subtract(*limb, if k == 0 { 2 } else { 0 }, borrow);
        }
        let mut power = self.mul(&[1, 0, 0, 0], &self.square);
        for bit in (0..256).rev() {
            power = self.mul(&power, &power);
            if exponent[bit / 64] >> (bit % 64) & 1 == 1 {
                power = self.mul(&power, a);
            }
        }
        power
    }

    /// [`super::instruction::Op::Felt`].
    pub(super) fn binary(&self, felts: &mut [Felts], op: FeltOp, operands: &[u32], result: u32) {
        let (a, b) = (felts[at(operands[0])], felts[at(operands[1])]);
        for (made, (x, y)) in felts[at(result)].iter_mut().zip(a.iter().zip(&b)) {
            *made = match op {
                FeltOp::Add => self.add(x, y),
                FeltOp::Sub => self.sub(x, y),
                FeltOp::Mul => self.mul(x, y),
            };
        }
    }

    /// [`super::instruction::Op::FeltInv`]: one inversion for all rows; zeros stay zero.
    pub(super) fn invert(&self, felts: &mut [Felts], operand: u32, result: u32) {
        let (values, zero) = (felts[at(operand)], [0; LIMBS]);
        // The products of the earlier ones, without zeros.
        let mut before = [zero; LANES];
        let mut product = self.mul(&[1, 0, 0, 0], &self.square);
        for (before, value) in before.iter_mut().zip(&values) {
            *before = product;
            if *value != zero {
                product = self.mul(&product, value);
            }
        }
        let mut inverse = self.inverse(&product);
        let inverses = &mut felts[at(result)];
        for ((made, before), value) in inverses.iter_mut().zip(&before).zip(&values).rev() {
            *made = zero;
            if *value != zero {
                *made = self.mul(&inverse, before);
                inverse = self.mul(&inverse, value);
            }
        }
    }

    /// [`super::instruction::Op::FeltFrom`]. Gives the first row whose integer is not below the prime; its felt may be
    /// anything.
    pub(super) fn read_words(&self, words: &[Lanes], felts: &mut Felts, operands: &[u32]) -> Option<usize> {
        let mut wrong = None;
        for lane in (0..LANES).rev() {
            let mut integer = [0; FELT_WORDS];
            integer.iter_mut().zip(operands).for_each(|(word, of)| *word = words[at(*of)].words()[lane]);
            if !is_less(&limbs(&integer), &self.prime) {
                wrong = Some(lane);
            }
            felts[lane] = self.montgomery(&integer);
        }
        wrong
    }

    /// [`super::instruction::Op::FeltTo`].
    pub(super) fn write_words(&self, felts: &Felts, words: &mut [Lanes], results: &[u32]) {
        for (lane, felt) in felts.iter().enumerate() {
            let integer = self.mul(felt, &[1, 0, 0, 0]);
            for (k, result) in results.iter().enumerate() {
                words[at(*result)].words_mut()[lane] = (integer[k / 2] >> (32 * (k % 2))) as u32;
            }
        }
    }
}
