//! Hades on limbs of 64 bits, one permutation at a time.
//!
//! Numbers are `x 2^256 mod p`, in four limbs. They may exceed p by small factors, which the comments say: products of
//! `a < A p` and `b < B p` are below `(1 + A B / 32) p`.

use std::sync::LazyLock;

use gpu_hal::hash::poseidon252::{Felt252, HALF_FULL_ROUNDS, MODULUS, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH};

use super::number::{Number, State};

/// The highest limb of p; below it are 0, 0 and 1.
const TOP: u64 = MODULUS[3];

/// Constants of the rounds. Constants before the matrices' sums are made positive by a multiple of p.
static CONSTANTS: LazyLock<Vec<Number>> = LazyLock::new(|| ROUND_CONSTANTS.iter().map(|c| c.montgomery()).collect());
/// `2^512 mod p`, which turns a number into its Montgomery form.
static SQUARE: LazyLock<Number> = LazyLock::new(|| {
    let mut power = Felt252::ONE;
    (0..256).for_each(|_| power += power);
    power.montgomery()
});

#[inline(always)]
fn plus(a: Number, b: Number) -> Number {
    let (l0, carry) = a[0].overflowing_add(b[0]);
    let (l1, carry) = a[1].carrying(b[1], carry);
    let (l2, carry) = a[2].carrying(b[2], carry);
    [l0, l1, l2, a[3].wrapping_add(b[3]).wrapping_add(carry.into())]
}

#[inline(always)]
fn minus(a: Number, b: Number) -> Number {
    let (l0, borrow) = a[0].overflowing_sub(b[0]);
    let (l1, borrow) = a[1].borrowing(b[1], borrow);
    let (l2, borrow) = a[2].borrowing(b[2], borrow);
    [l0, l1, l2, a[3].wrapping_sub(b[3]).wrapping_sub(borrow.into())]
}

/// Sums and differences of limbs with a carry.
trait Carry: Sized {
    fn carrying(self, other: Self, carry: bool) -> (Self, bool);
    fn borrowing(self, other: Self, borrow: bool) -> (Self, bool);
}

impl Carry for u64 {
    #[inline(always)]
    fn carrying(self, other: Self, carry: bool) -> (Self, bool) {
        let (sum, one) = self.overflowing_add(other);
        let (sum, two) = sum.overflowing_add(carry.into());
        (sum, one | two)
    }

    #[inline(always)]
    fn borrowing(self, other: Self, borrow: bool) -> (Self, bool) {
        let (difference, one) = self.overflowing_sub(other);
        let (difference, two) = difference.overflowing_sub(borrow.into());
        (difference, one | two)
    }
}

/// `k p`, for a small k.
const fn multiple(k: u64) -> Number {
    [k, 0, 0, k * TOP]
}

/// Any number to one below 2p that is the same mod p: less its highest five bits, less one, times p.
#[inline(always)]
fn folded(a: Number) -> Number {
    let times = (a[3] >> 59).saturating_sub(1);
    minus(a, [times, 0, 0, times * TOP])
}

/// `a b / 2^256 mod p`. With `t` the product in eight limbs, the multiple `q p` that equals it mod `2^256` is
/// subtracted: as the lowest limb of p is 1 and the next two are 0, the limbs of q are those of t, but for the highest.
#[inline(always)]
fn product(a: Number, b: Number) -> Number {
    let mut t = [0u64; 8];
    for i in 0..4 {
        let mut carry = 0u64;
        for j in 0..4 {
            let sum = u128::from(a[i]) * u128::from(b[j]) + u128::from(t[i + j]) + u128::from(carry);
            (t[i + j], carry) = (sum as u64, (sum >> 64) as u64);
        }
        t[i + 4] = carry;
    }
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

/// Of numbers below 9p; below 2p.
#[inline(always)]
fn cube(a: Number) -> Number {
    product(product(a, a), a)
}

/// Of numbers below 2p; below 10p, 6p and 8p.
#[inline(always)]
fn matrix([a, b, c]: State) -> State {
    let ab = plus(a, b);
    let ac = plus(a, c);
    let first = plus(plus(ab, c), plus(a, a));
    [first, minus(plus(ac, multiple(2)), b), minus(plus(ab, multiple(4)), plus(c, c))]
}

#[inline(always)]
fn full_rounds(mut state: State, constants: &[Number]) -> State {
    for round in constants.as_chunks::<WIDTH>().0 {
        for (x, constant) in state.iter_mut().zip(round) {
            *x = cube(plus(folded(*x), *constant));
        }
        state = matrix(state);
    }
    state
}

/// The permutation; any numbers in, numbers below p out.
pub(super) fn permute(state: &mut State) {
    let (first, rest) = CONSTANTS.split_at(WIDTH * HALF_FULL_ROUNDS);
    let (partial, last) = rest.split_at(PARTIAL_ROUNDS);
    let square = *SQUARE;
    let [a, b, mut c] = full_rounds(state.map(|number| product(folded(number), square)), first);
    let [mut a, mut b] = [a, b].map(folded);
    for constant in partial {
        let [next_a, next_b, next_c] = matrix([a, b, cube(plus(c, *constant))]);
        (a, b, c) = (folded(next_a), folded(next_b), next_c);
    }
    *state = full_rounds([a, b, c], last).map(|number| {
        // Below 2p.
        let number = product(number, [1, 0, 0, 0]);
        let (less, is_below) = (minus(number, MODULUS), number.iter().rev().lt(MODULUS.iter().rev()));
        if is_below { number } else { less }
    });
}
