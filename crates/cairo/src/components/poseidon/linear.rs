//! Linear combinations of felts with small coefficients, as the columns show them.
//!
//! With `s = sum of c_j x_j + constant` over the integers, the columns are the words of `y = s mod p` and
//! `k = (s - y)/p`. The equation `s - y - k p = 0` is checked word by word: word `w` of it plus `carry_(w-1)` is
//! `2^27 carry_w`. Carries are no columns; they and `k` are so small that a table of few bits holds them once a bias is
//! added.

use super::super::felt::{felt_of_words27, felt_words27};
use super::super::machine::{Counter, Machine, W, WORD27_BITS};
use super::WORDS;

/// Words of 27 bits of the prime.
const PRIME_WORDS: [u32; WORDS] = [1, 0, 0, 0, 0, 0, 0, 136, 0, 256];

/// A felt, and its ten words of 27 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Felt<'r> {
    /// The integer of eight words.
    pub(super) value: W<'r>,
    /// Its words of 27 bits.
    pub(super) words: W<'r>,
}

impl<'r> Felt<'r> {
    /// From an integer.
    pub(super) fn new(value: W<'r>) -> Self {
        Self { value, words: felt_words27(value) }
    }

    /// From words of 27 bits.
    pub(super) fn from_words(words: W<'r>) -> Self {
        Self { value: felt_of_words27(words), words }
    }

    /// Felts that are side by side in a vector.
    pub(super) fn all<const N: usize>(words: W<'r>) -> [Self; N] {
        std::array::from_fn(|felt| Self::from_words(words.slice(WORDS * felt, WORDS)))
    }
}

/// The tables that hold `k` and the nine carries.
#[derive(Clone, Copy, Debug)]
pub(super) enum Digits {
    /// Five and five digits of 3 bits.
    Three,
    /// Four, four and two digits of 4 bits.
    Four,
}

/// A combination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Combination<'r> {
    /// `y`.
    pub(super) felt: Felt<'r>,
    /// `k`, signed.
    quotient: W<'r>,
    /// The words of `s - y - k p`, signed.
    difference: W<'r>,
}

impl<'r> Combination<'r> {
    /// A sum of felts with coefficients from -4 to 4; the first one is positive. The coefficients' sizes have a sum of
    /// at most 14, so that words are below `2^31`.
    pub(super) fn new(machine: &Machine<'r>, terms: &[(i32, Felt<'r>)], constant: Option<Felt<'r>>) -> Self {
        let (mut value, mut words) = (None, None);
        for (coefficient, felt) in terms.iter().copied().chain(constant.map(|felt| (1, felt))) {
            let (term, scaled) = (times(coefficient, felt.value), felt.words * coefficient.unsigned_abs());
            value = Some(match value {
                None => term,
                Some(sum) if coefficient < 0 => W::felt_sub(sum, term),
                Some(sum) => sum.felt_add(term),
            });
            words = Some(match words {
                None => scaled,
                Some(sum) if coefficient < 0 => sum - scaled,
                Some(sum) => sum + scaled,
            });
        }
        let (value, words) = value.zip(words).unwrap_or((machine.felt([0; 8]), machine.word(0)));
        let felt = Felt::new(value);
        let rest = words - felt.words;
        // Word 0 of the prime is 1: `k` is word 0 of the rest modulo 2^27, as a signed number.
        let unused = u32::BITS - WORD27_BITS;
        let quotient = (rest.at(0) << unused).sar(unused);
        let difference = rest - machine.recorder().words(&PRIME_WORDS) * quotient;
        Self { felt, quotient, difference }
    }

    /// The columns: ten words, then `k`.
    pub(super) fn columns(&self, machine: &Machine<'r>) {
        machine.columns(self.felt.words);
        machine.signed_columns(self.quotient);
    }

    /// Requests that `k` and the carries plus a bias are small.
    pub(super) fn check(&self, machine: &Machine<'r>, bias: u32, digits: Digits) {
        let mut numbers = vec![self.quotient];
        let mut carry = self.difference.at(0).sar(WORD27_BITS);
        numbers.push(carry);
        for word in 1..WORDS - 1 {
            carry = (self.difference.at(word) + carry).sar(WORD27_BITS);
            numbers.push(carry);
        }
        let numbers = machine.recorder().pack(&numbers) + bias;
        let row = |from: usize, count: usize, bits: u32| {
            let digits = numbers.slice(from, count);
            digits.iter().reduce(|high, digit| (high << bits) + digit).unwrap_or(digits)
        };
        let both = |a, b| machine.recorder().pack(&[a, b]);
        match digits {
            Digits::Three => machine.uses(Counter::RangeCheck3x3x3x3x3, 0, both(row(0, 5, 3), row(5, 5, 3))),
            Digits::Four => {
                machine.uses(Counter::RangeCheck4x4x4x4, 0, both(row(0, 4, 4), row(4, 4, 4)));
                machine.uses(Counter::RangeCheck4x4, 0, row(8, 2, 4));
            }
        }
    }
}

/// A felt `|coefficient|` times, at most four.
fn times(coefficient: i32, x: W<'_>) -> W<'_> {
    match coefficient.unsigned_abs() {
        1 => x,
        2 => x.felt_add(x),
        3 => x.felt_add(x).felt_add(x),
        _ => x.felt_add(x).felt_add(x.felt_add(x)),
    }
}
