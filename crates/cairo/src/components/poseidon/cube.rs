//! Cubes of felts, and felts whose words have 27 bits.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{felt_limbs, mul_check, product_limbs, rc99};
use super::super::machine::{ComponentProgram, Counter, LIMBS, record};
use super::linear::Felt;
use super::{WORDS, low_limbs};

/// `x^3`. Source entries: the ten words of `x`.
///
/// Columns: the words; 18 low limbs of `x`; limbs of `x^2`, `k` and 27 carries of `x x`; limbs of `x^3`, `k` and 27
/// carries of `x^2 x`; the enabler.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn cube_252() -> Result<ComponentProgram, RowProgramError> {
    record(WORDS, |machine| {
        let x = Felt::from_words(machine.recorder().inputs(0, WORDS));
        machine.columns(x.words);
        machine.columns(low_limbs(machine, x.value));
        rc99(machine, x.value, LIMBS / 2);
        let of_x = felt_limbs(machine, x.value);
        let mut power = x.value;
        for _ in 0..2 {
            let next = power.felt_mul(x.value);
            let (factor, product) = (felt_limbs(machine, power), felt_limbs(machine, next));
            rc99(machine, next, LIMBS / 2);
            machine.columns(product);
            machine.signed_columns(mul_check(machine, product_limbs(machine, factor, of_x, product)));
            power = next;
        }
        machine.columns(machine.enabler());
    })
}

/// A felt whose words have 27 bits. Source entries: its ten words.
///
/// Columns: the words; of words 0 to 8 the highest limb (even words) or the lowest one (odd words); the enabler.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn range_check_252_width_27() -> Result<ComponentProgram, RowProgramError> {
    record(WORDS, |machine| {
        let words = machine.recorder().inputs(0, WORDS);
        let is_even = |word: usize| word.is_multiple_of(2);
        let part = |word: usize| if is_even(word) { words.at(word) >> 18 } else { words.at(word) & 511 };
        let rest = |word: usize| if is_even(word) { words.at(word) & 0x3_ffff } else { words.at(word) >> 9 };
        let parts: Vec<_> = (0..WORDS - 1).map(part).collect();
        machine.columns(words);
        machine.columns(machine.recorder().pack(&parts));
        machine.columns(machine.enabler());
        // Pairs of parts: of words 0 and 1, 2 and 3, ...; the part of word 8 goes with word 9, which is one limb.
        let with_last = [parts.as_slice(), &[words.at(WORDS - 1)]].concat();
        let pairs: Vec<_> = with_last.chunks(2).map(|pair| (pair[0] << 9) + pair[1]).collect();
        machine.uses_in_turn(Counter::RangeCheck9x9, machine.recorder().pack(&pairs));
        for word in 0..WORDS - 1 {
            let letter = usize::from(word == 2 || word == 6);
            machine.uses(Counter::RangeCheck18, letter, rest(word));
        }
    })
}
