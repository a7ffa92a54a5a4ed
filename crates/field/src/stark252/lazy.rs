//! Numbers of the Stark field in Montgomery form, reduced late.
//!
//! Numbers are `x 2^256 mod p`, in four limbs of 64 bits, least significant first. They may exceed p by small factors,
//! which code that uses them says in comments: products of `a < A p` and `b < B p` are below `(1 + A B / 32) p`. Any
//! number below `2^256` is below 32p.

use super::felt::{MODULUS, SQUARE, TOP};

/// A number below `2^256`, least significant limb first.
pub type Number = [u64; 4];

/// `a + b`, which must be below `2^256`.
#[inline(always)]
pub fn plus(a: Number, b: Number) -> Number {
    let (l0, carry) = a[0].overflowing_add(b[0]);
    let (l1, carry) = a[1].carrying_add(b[1], carry);
    let (l2, carry) = a[2].carrying_add(b[2], carry);
    [l0, l1, l2, a[3].wrapping_add(b[3]).wrapping_add(carry.into())]
}

/// `a - b`, which must not be negative.
#[inline(always)]
pub fn minus(a: Number, b: Number) -> Number {
    let (l0, borrow) = a[0].overflowing_sub(b[0]);
    let (l1, borrow) = a[1].borrowing_sub(b[1], borrow);
    let (l2, borrow) = a[2].borrowing_sub(b[2], borrow);
    [l0, l1, l2, a[3].wrapping_sub(b[3]).wrapping_sub(borrow.into())]
}

/// `k p`, for a small k.
pub const fn multiple(k: u64) -> Number {
    [k, 0, 0, k * TOP]
}

/// Any number to one below 2p that is the same mod p: less its highest five bits, less one, times p.
#[inline(always)]
pub fn folded(a: Number) -> Number {
    let times = (a[3] >> 59).saturating_sub(1);
    minus(a, [times, 0, 0, times * TOP])
}

/// `a b / 2^256 mod p`.
#[inline(always)]
pub fn product(a: Number, b: Number) -> Number {
    let mut t = [0u64; 8];
    for i in 0..4 {
        let mut carry = 0u64;
        for j in 0..4 {
            let sum = u128::from(a[i]) * u128::from(b[j]) + u128::from(t[i + j]) + u128::from(carry);
            (t[i + j], carry) = (sum as u64, (sum >> 64) as u64);
        }
        t[i + 4] = carry;
    }
    divided(t)
}

/// `a a / 2^256 mod p`.
#[inline(always)]
pub fn square(a: Number) -> Number {
    // Products of different limbs, which are there twice.
    let mut t = [0u64; 8];
    for i in 0..3 {
        let mut carry = 0u64;
        for j in i + 1..4 {
            let sum = u128::from(a[i]) * u128::from(a[j]) + u128::from(t[i + j]) + u128::from(carry);
            (t[i + j], carry) = (sum as u64, (sum >> 64) as u64);
        }
        t[i + 4] = carry;
    }
    let (mut carry, mut highest) = (0u64, 0u64);
    for i in 0..4 {
        let own = u128::from(a[i]) * u128::from(a[i]);
        let [low, high] = [t[2 * i], t[2 * i + 1]];
        let sum = u128::from(low << 1 | highest) + u128::from(own as u64) + u128::from(carry);
        t[2 * i] = sum as u64;
        let sum = u128::from(high << 1 | low >> 63) + (own >> 64) + (sum >> 64);
        (t[2 * i + 1], carry, highest) = (sum as u64, (sum >> 64) as u64, high >> 63);
    }
    divided(t)
}

/// A product in eight limbs, divided by `2^256` mod p. The multiple `q p` that equals it mod `2^256` is subtracted: as
/// the lowest limb of p is 1 and the next two are 0, the limbs of q are those of the product, but for the highest.
#[inline(always)]
fn divided(t: [u64; 8]) -> Number {
    let top = u128::from(TOP);
    let u0 = u128::from(t[0]) * top;
    let (highest, borrow) = t[3].overflowing_sub(u0 as u64);
    let u1 = u128::from(t[1]) * top + (u0 >> 64);
    let u2 = u128::from(t[2]) * top + (u1 >> 64);
    let u3 = u128::from(highest) * top + (u2 >> 64);
    // One p more, so that it is not negative; the borrow takes the 1 of it.
    let upper = plus([t[4], t[5], t[6], t[7]], [u64::from(!borrow), 0, 0, TOP]);
    minus(upper, [u1 as u64, u2 as u64, u3 as u64, (u3 >> 64) as u64])
}

/// Whether a number is a multiple of p.
#[inline(always)]
pub fn is_zero(a: Number) -> bool {
    a[1] | a[2] == 0 && a[0] < 32 && a[3] == a[0] * TOP
}

/// Any number to its Montgomery form, below 2p.
#[inline(always)]
pub fn montgomery(number: Number) -> Number {
    product(folded(number), SQUARE)
}

/// The number below p of any Montgomery form.
#[inline(always)]
pub fn canonical(number: Number) -> Number {
    reduced(product(folded(number), [1, 0, 0, 0]))
}

/// Any number mod p.
pub(super) fn canonical_number(number: Number) -> Number {
    reduced(folded(number))
}

/// A number below 2p mod p.
#[inline(always)]
pub fn reduced(number: Number) -> Number {
    let (l0, borrow) = number[0].overflowing_sub(MODULUS[0]);
    let (l1, borrow) = number[1].borrowing_sub(MODULUS[1], borrow);
    let (l2, borrow) = number[2].borrowing_sub(MODULUS[2], borrow);
    let (l3, is_below) = number[3].borrowing_sub(MODULUS[3], borrow);
    if is_below { number } else { [l0, l1, l2, l3] }
}
