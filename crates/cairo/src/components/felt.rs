//! Operations of row programs on values: limbs in columns, the check of a product modulo the Cairo prime, and the
//! requests of both.
//!
//! An *integer* is a vector of words, least significant first. *Limbs* are its digits of nine bits, a felt has 28.

use cairo_run::Felt252;
use gpu_hal::ir::FELT_WORDS;

use super::machine::{Counter, LIMBS, Machine, W, WORD27_BITS};

#[cfg(test)]
mod tests;

/// Limbs of a product of two felts.
const PRODUCT_LIMBS: usize = 2 * LIMBS - 1;
/// The range check of carries takes numbers from minus this on.
const CARRY_BIAS: u32 = 1 << 19;
/// Limbs 21 and 27 of the Cairo prime; limb 0 is 1 and all others are 0.
const PRIME_LIMBS: [u32; 2] = [136, 256];

/// Limbs of a felt, from an integer of eight words.
pub(crate) fn felt_limbs<'r>(machine: &Machine<'r>, value: W<'r>) -> W<'r> {
    machine.limbs(value, LIMBS)
}

/// The ten words of 27 bits of an integer of eight words.
pub(crate) fn felt_words27(value: W<'_>) -> W<'_> {
    value.split(WORD27_BITS, 10)
}

/// An address that is the value of an id, as the columns have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address<'r> {
    /// Four limbs, then bit 1 of the last: 5 columns.
    pub(crate) columns: W<'r>,
    /// The address.
    pub(crate) value: W<'r>,
}

/// Reads an address: one use of the id.
pub(crate) fn address<'r>(machine: &Machine<'r>, id: W<'r>) -> Address<'r> {
    machine.uses_id(id);
    let value = machine.some_words27_unused(id, &[0, 1]).join(WORD27_BITS, 2);
    Address { columns: address_columns(machine, value), value: value.at(0) }
}

/// The five columns of an address, from an integer.
pub(crate) fn address_columns<'r>(machine: &Machine<'r>, value: W<'r>) -> W<'r> {
    let limbs = machine.limbs(value, 4);
    machine.recorder().pack(&[limbs, top_bit(limbs)])
}

/// Bit 1 of limb 3, which is bit 28 of the integer: the highest of an address.
pub(crate) fn top_bit(limbs: W<'_>) -> W<'_> {
    (limbs.at(3) >> 1) & 1
}

/// A felt of `-2^29 - 1 ..= 2^29 - 1`, as the columns have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small<'r> {
    /// `msb, mid, limb 0, limb 1, limb 2, rem`, bit 1 of `rem`: 7 columns.
    pub(crate) columns: W<'r>,
    /// The signed number `limb_0 + 2^9 limb_1 + 2^18 limb_2 + 2^27 rem - msb - 2^29 mid`.
    pub(crate) value: W<'r>,
}

/// Reads a small felt: one use of the id.
pub(crate) fn small<'r>(machine: &Machine<'r>, id: W<'r>) -> Small<'r> {
    machine.uses_id(id);
    let words = machine.some_words27_unused(id, &[0, 1, 6, 9]);
    let low = words.slice(0, 2).join(WORD27_BITS, 2);
    small_of(machine, machine.limbs(low, 4), words.at(2) >> 18, words.at(3))
}

/// The same of a felt that is there already, from its limbs.
pub(crate) fn small_from_limbs<'r>(machine: &Machine<'r>, limbs: W<'r>) -> Small<'r> {
    small_of(machine, limbs.slice(0, 4), limbs.at(20), limbs.at(27))
}

/// From limbs 0 to 3, limb 20 and limb 27. A negative number `-n` is `p - n`: limb 27 is 256, and limbs 4 to 20 are 511
/// unless `n` is 1.
fn small_of<'r>(machine: &Machine<'r>, low: W<'r>, limb_20: W<'r>, limb_27: W<'r>) -> Small<'r> {
    let msb = limb_27.is(256);
    let mid = limb_20.is(511) & msb;
    let rem = low.at(3) & 3;
    let magnitude = low.at(0) + (low.at(1) << 9) + (low.at(2) << 18) + (rem << 27);
    Small {
        columns: machine.recorder().pack(&[msb, mid, low.slice(0, 3), rem, rem >> 1]),
        value: magnitude - msb - (mid << 29),
    }
}

/// Requests that the first `2 * pairs` limbs of an integer have nine bits: pair `j` has the letter `j mod 8`.
pub(crate) fn rc99<'r>(machine: &Machine<'r>, value: W<'r>, pairs: usize) {
    // Digit j of 18 bits is limb 2j + 2^9 limb 2j+1; the table has the first limb of a pair as the high one.
    let digits = value.split(18, pairs);
    machine.uses_in_turn(Counter::RangeCheck9x9, ((digits & 511) << 9) | (digits >> 9));
}

/// The columns and requests that show that the limbs of a felt belong to a number below the prime: `hi, both, rc`.
///
/// `hi = [limb 27 = 256]`, `both = hi [limb 21 = 136]`, `rc = hi (120 + limb 21 - both)`.
pub(crate) fn reduced<'r>(machine: &Machine<'r>, limbs: W<'r>) -> W<'r> {
    let [limb_21, limb_27] = [limbs.at(21), limbs.at(27)];
    let hi = limb_27.is(PRIME_LIMBS[1]);
    let both = hi & limb_21.is(PRIME_LIMBS[0]);
    let rc = hi * (limb_21 + 120 - both);
    let pack = |parts: &[W<'r>]| machine.recorder().pack(parts);
    machine.uses(Counter::RangeCheck8, 0, pack(&[limb_27 - hi, rc]));
    pack(&[hi, both, rc])
}

/// The limbs of `a b - r`, for [`mul_check`]: 55 signed words. `a`, `b` and `r` are 28 signed words each, and need not
/// be below `2^9`.
pub(crate) fn product_limbs<'r>(machine: &Machine<'r>, a: W<'r>, b: W<'r>, r: W<'r>) -> W<'r> {
    let zeros = machine.recorder().words(&[0; PRODUCT_LIMBS - LIMBS]);
    a.convolve(b) - machine.recorder().pack(&[r, zeros])
}

/// The check that `sum c_j 2^(9j)` is a multiple of the prime: `k` and 27 carries, 28 signed words, and their requests.
/// `c` is 55 signed words.
///
/// With `x = 2^9` the prime is `1 + 136 x^21 + 256 x^27`, so that `x^28` and above fold to numbers `m_i` with few bits:
/// `m = (32 + x + 2 x^7) c[0..21] - 4 c[21..49] + (8 + 64 x^21 + 2 x^22) c[49..55]`. They are `k p`, with `k` of 18
/// bits by `m_0` and `m_1`, and `carry_i = (m_i - k p_i + carry_(i-1)) / 2^9`.
pub(crate) fn mul_check<'r>(machine: &Machine<'r>, c: W<'r>) -> W<'r> {
    let recorder = machine.recorder();
    let of_low = recorder.words(&[32, 1, 0, 0, 0, 0, 0, 2]);
    let mut of_high = [0; 23];
    [of_high[0], of_high[21], of_high[22]] = [8, 64, 2];
    let (low, middle, high) = (c.slice(0, 21), c.slice(21, 28), c.slice(49, 6));
    let m = low.convolve(of_low) + high.convolve(recorder.words(&of_high)) - (middle << 2);

    let k = ((m.at(0) + (m.at(1) << 9) + (1 << 17)) & ((1 << 18) - 1)) - (1 << 17);
    let times_k = |limb: usize| match limb {
        0 => Some(k),
        21 => Some(k * PRIME_LIMBS[0]),
        _ => None,
    };
    let (mut columns, mut sums) = (vec![k], Vec::new());
    let mut carry = None;
    for limb in 0..LIMBS - 1 {
        let sum = times_k(limb).map_or(m.at(limb), |times_k| m.at(limb) - times_k);
        let sum = carry.map_or(sum, |carry| sum + carry);
        sums.push(sum);
        carry = Some(sum.sar(9));
        columns.extend(carry);
    }
    let last = columns[LIMBS - 1] + m.at(LIMBS - 1) - (k << 8);
    let claim = "a product of felts and what is said to be its remainder differ by a multiple of the prime";
    recorder.assert(claim, (recorder.pack(&sums) & 511).sum().is(0) & last.is(0));

    let columns = recorder.pack(&columns);
    machine.uses_in_turn(Counter::RangeCheck20, columns + CARRY_BIAS);
    columns
}

/// The number whose inverse shows that limbs are not the prime's: the sum of the limbs that are zero in the prime, and
/// of `(limb_i - p_i)^2` for limbs 0, 21 and 27.
pub(crate) fn distance_from_prime<'r>(machine: &Machine<'r>, limbs: W<'r>) -> W<'r> {
    let pack = |of: &dyn Fn(usize) -> W<'r>| machine.recorder().pack(&[of(0), of(21), of(27)]);
    let those = pack(&|limb| limbs.at(limb));
    let difference = those - machine.recorder().words(&[1, PRIME_LIMBS[0], PRIME_LIMBS[1]]);
    limbs.sum() - those.sum() + (difference * difference).sum()
}

/// A felt as an integer of eight words, from ten words of 27 bits.
pub(crate) fn felt_of_words27(words: W<'_>) -> W<'_> {
    words.join(WORD27_BITS, FELT_WORDS)
}

/// A constant felt, from its hexadecimal digits.
pub(crate) fn felt_hex<'r>(machine: &Machine<'r>, hex: &str) -> W<'r> {
    let digits = Felt252::from_hex_unchecked(hex).to_le_digits();
    machine.felt(std::array::from_fn(|word| (digits[word / 2] >> (32 * (word % 2))) as u32))
}
