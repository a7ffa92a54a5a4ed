//! Rows of add_mod and mul_mod that a test makes itself, from the numbers alone: with a modulus of 0, and with words of
//! more than 96 bits. With such words a row of mul_mod may even be about a wrong product.

use cairo_air::components::{add_mod_builtin, mul_mod_builtin};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use stwo::core::fields::m31::P;

use super::lookups::{Lookups, RANGE_CHECK_3_6_6_3, RANGE_CHECK_12, RANGE_CHECK_18, limbs, satisfies};

/// An integer in four words of 96 bits, or of some more.
type Words = [u128; 4];

/// Where the instance, its values and its offsets lie.
const INSTANCE: u32 = 1000;
const VALUES: u32 = 2000;
const OFFSETS: u32 = 3000;

/// Limbs of nine bits of a word, digits of twelve bits of an integer.
const LIMBS: usize = 11;
const DIGITS: usize = 32;

fn number(words: Words) -> BigUint {
    words.iter().rev().fold(BigUint::zero(), |high, word| (high << 96) + word)
}

const fn small(value: u128) -> Words {
    [value, 0, 0, 0]
}

/// An element of the field by the integer of least magnitude that it is.
fn signed(value: i64) -> i64 {
    let value = value.rem_euclid(P.into());
    if value > i64::from(P / 2) { value - i64::from(P) } else { value }
}

fn cell(value: i64) -> u32 {
    value.rem_euclid(P.into()) as u32
}

/// An instance of its own, the first of its segment: p, a, b, c.
struct Row {
    cells: Vec<u32>,
    lookups: Lookups,
    /// The limbs of the words of p, a, b, c.
    integers: [[Vec<u32>; 4]; 4],
}

impl Row {
    /// The columns that both components have.
    fn new(integers: [Words; 4]) -> Self {
        let integers = integers.map(|words| words.map(|word| limbs(&word.into(), LIMBS as u32)));
        let mut lookups = Lookups::default();
        let mut cells = vec![1];
        for (address, limbs) in (INSTANCE..).zip(&integers[0]) {
            cells.extend(lookups.read(address, limbs));
        }
        // A number of 29 bits: four limbs, and the upper of the last two bits.
        let mut pointer = |lookups: &mut Lookups, index: u32, value: u32| {
            cells.extend(lookups.read(INSTANCE + index, &limbs(&value.into(), 4)));
            cells.push(value >> 28);
        };
        pointer(&mut lookups, 4, VALUES);
        // The instance before the first is the first.
        for (index, value) in [(5, OFFSETS), (5, OFFSETS), (6, 1), (6, 1)] {
            pointer(&mut lookups, index, value);
        }
        cells.extend([4, 0, 1, 2, 3].map(|index| lookups.id(INSTANCE + index)));
        for operand in 0..3 {
            // Its id, two bits of a negative number, three limbs, and the two bits above them.
            let read = lookups.read(OFFSETS + operand, &[4 * operand, 0, 0]);
            cells.extend([read[0], 0, 0, read[1], read[2], read[3], 0, 0]);
        }
        for (first, words) in (VALUES..).step_by(4).zip(&integers[1..]) {
            for (address, limbs) in (first..).zip(words) {
                cells.extend(lookups.read(address, limbs));
            }
        }
        Self { cells, lookups, integers }
    }

    /// A row of add_mod: whether the modulus is subtracted, and the carries.
    fn sum(integers: [Words; 4], subtracts: bool) -> Result<(), String> {
        let mut row = Self::new(integers);
        let [p, a, b, c] = row.integers.clone().map(|words| words.concat());
        let d = |limb: usize| {
            let [p, a, b, c] = [&p, &a, &b, &c].map(|limbs| i64::from(limbs[limb]));
            a + b - c - i64::from(subtracts) * p
        };
        row.cells.push(subtracts.into());
        let mut carry = 0;
        for group in 0..14 {
            let mut bits = 0;
            for limb in 3 * group..3 * group + 3 {
                carry += d(limb) << bits;
                bits += if limb % LIMBS == LIMBS - 1 { 6 } else { 9 };
            }
            // Divided by 2^bits, which is multiplied by 2^(31 - bits).
            carry = signed(carry << (31 - bits));
            row.cells.push(cell(carry));
        }
        satisfies(
            |common_lookup_elements| add_mod_builtin::Eval {
                claim: add_mod_builtin::Claim { log_size: 4, add_mod_builtin_segment_start: INSTANCE },
                common_lookup_elements,
            },
            &row.cells,
            &row.lookups,
        )
    }

    /// A row of mul_mod: the quotient of `a b - c` and p, how limbs make digits, and the carries.
    fn product(integers: [Words; 4], quotient: Words) -> Result<(), String> {
        let mut row = Self::new(integers);
        let q: Vec<i64> = (0..DIGITS).map(|digit| (quotient[digit / 8] >> (12 * (digit % 8)) & 4095) as i64).collect();
        for digit in &q {
            row.lookups.push(RANGE_CHECK_12, [*digit as u32]);
            row.cells.push(*digit as u32);
        }
        row.integers.clone().iter().for_each(|words| row.split(words));
        let [p, a, b, c] = integers.map(|words| -> Vec<i64> {
            // The uppermost digit of a word has the rest.
            let digit = |word: u128, digit: u32| if digit == 7 { word >> 84 } else { word >> (12 * digit) & 4095 };
            words.iter().flat_map(|word| (0..8).map(move |index| digit(*word, index) as i64)).collect()
        });
        let convolved = |x: &[i64], y: &[i64], at: usize| -> i64 {
            let pairs = (at.saturating_sub(DIGITS - 1)..=at.min(DIGITS - 1)).map(|i| x[i] * y[at - i]);
            pairs.sum()
        };
        let mut carry = 0;
        for at in 0..2 * DIGITS - 2 {
            let digit = convolved(&a, &b, at) - convolved(&p, &q, at) - c.get(at).copied().unwrap_or(0);
            // Divided by 2^12.
            carry = signed(signed(carry + digit) << 19);
            row.cells.push(cell(carry));
            row.lookups.push(RANGE_CHECK_18, [cell(carry + (1 << 17))]);
        }
        satisfies(
            |common_lookup_elements| mul_mod_builtin::Eval {
                claim: mul_mod_builtin::Claim { log_size: 4, mul_mod_builtin_segment_start: INSTANCE },
                common_lookup_elements,
            },
            &row.cells,
            &row.lookups,
        )
    }

    /// Limbs of nine bits, split at the borders of digits of twelve.
    fn split(&mut self, words: &[Vec<u32>; 4]) {
        for pair in words.chunks(2) {
            for word in pair {
                for first in [1, 5] {
                    let [low, high] = [word[first], word[first + 1]];
                    self.cells.extend([low >> 3, high >> 6]);
                    self.lookups.push(RANGE_CHECK_3_6_6_3, [low & 7, low >> 3, high & 63, high >> 6]);
                }
                self.cells.push(word[9] >> 3);
            }
            let [low, high] = [pair[0][9], pair[1][9]];
            self.lookups.push(RANGE_CHECK_3_6_6_3, [low & 7, low >> 3, high >> 3, high & 7]);
        }
    }
}

const TOP: u128 = (1 << 99) - 1;

#[test]
fn sums_beyond_the_machine_have_rows() {
    let [five, seven, twelve] = [5, 7, 12].map(small);
    Row::sum([small(0), five, seven, twelve], false).unwrap();
    // Nothing is subtracted, or zero.
    Row::sum([small(0), five, seven, twelve], true).unwrap();
    for word in [1 << 96, 1 << 97, 1 << 98, TOP] {
        Row::sum([seven, [word; 4], small(0), [word; 4]], false).unwrap();
        Row::sum([[word; 4], [word; 4], five, five], true).unwrap();
    }
    // The same integer in other words.
    Row::sum([seven, [1 << 96, 0, 0, 0], small(0), [0, 1, 0, 0]], false).unwrap();
    // A wrong sum has none.
    for subtracts in [false, true] {
        for (p, c) in [(small(0), small(13)), (seven, small(13)), (seven, small(4)), (seven, [12, 0, 0, 1 << 98])] {
            Row::sum([p, five, seven, c], subtracts).unwrap_err();
        }
    }
}

#[test]
fn products_beyond_the_machine_have_rows() {
    let [five, seven] = [5, 7].map(small);
    for quotient in [small(0), seven, [(1 << 96) - 1; 4]] {
        Row::product([small(0), five, seven, small(35)], quotient).unwrap();
        Row::product([small(0), five, seven, small(36)], quotient).unwrap_err();
    }
    for word in [1 << 96, 1 << 97, 1 << 98, TOP] {
        let integer = [word, 5, 0, word];
        Row::product([seven, integer, small(1), integer], small(0)).unwrap();
        Row::product([integer, integer, small(1), small(0)], small(1)).unwrap();
    }
    // Numbers as they should be.
    let most = [(1 << 96) - 1; 4];
    Row::product([seven, five, seven, small(28)], small(1)).unwrap();
    Row::product([most, most, most, small(0)], most).unwrap();
    Row::product([seven, five, seven, small(27)], small(1)).unwrap_err();
    Row::product([seven, five, seven, small(0)], small(4)).unwrap_err();
}

/// The component counts modulo 2^31 - 1. With words of 96 bits no sum of digits' products reaches that; with digits of
/// 15 bits at the end of words it does: here `a b - c` is `q p + (2^31 - 1) 2^264`.
#[test]
fn a_wrong_product_of_words_beyond_96_bits_has_a_row() {
    let a = [0x7fff000000000000000000000, 0x5ce4fffffffffffffffffffff, 0, 0];
    let b = [0x64d1000000000000000000000, 0x7ffffffffffffffffffffffff, 0x2a343ddc1483ca785c4b436, 0x27f7a5974e2a];
    let p = [0x7fffed8ed8ed8ed8ed8ed8ed8, 0xed8ed8ed8ed8ed8, 0x7fffed8ed8ed8ed8ed8ed8ed8, 0xed8ed8ed8ed8ed8];
    let q = [0xffffa0fa0fa0fa0fa0fa0fa0, 0xfa0fa0fa0fa0fa0fa0fa0, 0, 0];
    let c = [
        0xefa001d81b01881601381100,
        0xc2cbd0e1bc9ba1b79b51b2a1,
        0x2a4a70e1adc2b9ab9ab9abbe,
        0x30ee752bdc7b84dbc78a23ca7,
    ];
    let [product, modulus, result] = [number(a) * number(b), number(p), number(c)];
    assert_ne!(&product % &modulus, &result % &modulus, "it is wrong");
    let wrapped = BigUint::from(P) * (BigUint::one() << 264u32);
    assert_eq!(product, &modulus * number(q) + result + wrapped);
    Row::product([p, a, b, c], q).unwrap();
}
