//! The permutation of [`gpu_hal::hash::poseidon2`] on lanes.
//!
//! Two rewritings make the 22 internal rounds cheap. Sums stay unreduced in limbs, and only element 0 is reduced, since
//! only it meets the S-box. Elements with opposite factors of the diagonal go in pairs: with factors `d` and `-d`, the
//! sum `v = x + y` and the difference `u = x - y` become `v' = 2 s + d u` and `u' = d v` (`s` is the sum of the state),
//! so `v'' = 2 s' + d^2 v`, and the sum of the state needs `v` alone: one recurrence instead of two elements.

use gpu_hal::hash::poseidon2::{
    EXTERNAL_FINAL, EXTERNAL_INITIAL, HALF_EXTERNAL_ROUNDS, INTERNAL, INTERNAL_ROUNDS, WIDTH,
};

use super::arithmetic::{Limbs, Shifted, multiply, square};
use crate::goldilocks::hash::lanes::Lanes;

type State<V> = [Limbs<V>; WIDTH];

/// Internal rounds after which limbs are carried. A round multiplies limbs by less than 9: from `2^38` at the start, or
/// `2^33` after a carry, six rounds stay below `2^57`.
const CARRY_AFTER: [usize; 3] = [4, 10, 16];

const INITIAL: [[Shifted; WIDTH]; HALF_EXTERNAL_ROUNDS] = shifted_rounds(EXTERNAL_INITIAL);
const FINAL: [[Shifted; WIDTH]; HALF_EXTERNAL_ROUNDS] = shifted_rounds(EXTERNAL_FINAL);
const INNER: [Shifted; INTERNAL_ROUNDS] = shifted(INTERNAL);
const NOTHING: Shifted = Shifted::new(0);

const fn shifted<const N: usize>(values: [u64; N]) -> [Shifted; N] {
    let mut out = [Shifted::new(0); N];
    let mut i = 0;
    while i < N {
        out[i] = Shifted::new(values[i]);
        i += 1;
    }
    out
}

const fn shifted_rounds(rounds: [[u64; WIDTH]; HALF_EXTERNAL_ROUNDS]) -> [[Shifted; WIDTH]; HALF_EXTERNAL_ROUNDS] {
    let mut out = [[Shifted::new(0); WIDTH]; HALF_EXTERNAL_ROUNDS];
    let mut i = 0;
    while i < HALF_EXTERNAL_ROUNDS {
        out[i] = shifted(rounds[i]);
        i += 1;
    }
    out
}

/// The permutation of `K` registers' worth of states, in step: a round of one waits on its S-box while the other works.
/// Lazy in, lazy out.
#[inline(always)]
pub(super) fn permute<V: Lanes, const K: usize>(states: &mut [[V; WIDTH]; K]) {
    let zero = Limbs::from_lazy(V::splat_raw(0));
    let mut limbs = [[zero; WIDTH]; K];
    for k in 0..K {
        for i in 0..WIDTH {
            limbs[k][i] = Limbs::from_lazy(states[k][i]);
        }
        limbs[k] = external_matrix(limbs[k]);
        for constants in &INITIAL {
            limbs[k] = external_round(limbs[k], constants);
        }
    }
    internal_rounds(&mut limbs);
    for k in 0..K {
        for constants in &FINAL {
            limbs[k] = external_round(limbs[k], constants);
        }
        for i in 0..WIDTH {
            states[k][i] = limbs[k][i].reduce_with(NOTHING);
        }
    }
}

/// `(self + constant)^7`, from limbs within `2^61`.
#[inline(always)]
fn seventh<V: Lanes>(x: Limbs<V>, constant: Shifted) -> Limbs<V> {
    let x = x.reduce_with(constant);
    let x2 = square(x);
    Limbs::product(multiply(x2, x), square(x2))
}

/// Four elements of [`seventh`], step by step together: written out, because each waits on its own products.
#[inline(always)]
fn four_sevenths<V: Lanes>(s: [Limbs<V>; 4], c: [Shifted; 4]) -> [Limbs<V>; 4] {
    let x = [s[0].reduce_with(c[0]), s[1].reduce_with(c[1]), s[2].reduce_with(c[2]), s[3].reduce_with(c[3])];
    let x2 = [square(x[0]), square(x[1]), square(x[2]), square(x[3])];
    let x3 = [multiply(x2[0], x[0]), multiply(x2[1], x[1]), multiply(x2[2], x[2]), multiply(x2[3], x[3])];
    let x4 = [square(x2[0]), square(x2[1]), square(x2[2]), square(x2[3])];
    [
        Limbs::product(x3[0], x4[0]),
        Limbs::product(x3[1], x4[1]),
        Limbs::product(x3[2], x4[2]),
        Limbs::product(x3[3], x4[3]),
    ]
}

#[inline(always)]
fn external_round<V: Lanes>(s: State<V>, c: &[Shifted; WIDTH]) -> State<V> {
    let [s0, s1, s2, s3] = four_sevenths([s[0], s[1], s[2], s[3]], [c[0], c[1], c[2], c[3]]);
    let [s4, s5, s6, s7] = four_sevenths([s[4], s[5], s[6], s[7]], [c[4], c[5], c[6], c[7]]);
    external_matrix([s0, s1, s2, s3, s4, s5, s6, s7])
}

/// `circ(2, 3, 1, 1)`.
#[inline(always)]
fn matrix4<V: Lanes>(a: Limbs<V>, b: Limbs<V>, c: Limbs<V>, d: Limbs<V>) -> [Limbs<V>; 4] {
    let (ab, cd) = (a.add(b), c.add(d));
    let sum = ab.add(cd);
    let (sum_b, sum_d) = (sum.add(b), sum.add(d));
    [sum_b.add(ab), sum_b.add(c.times_power::<1>()), sum_d.add(cd), sum_d.add(a.times_power::<1>())]
}

/// `circ(2 M, M)`, `M` the matrix above: the rows sum to 21, so limbs grow by that.
#[inline(always)]
fn external_matrix<V: Lanes>(s: State<V>) -> State<V> {
    let [a0, a1, a2, a3] = matrix4(s[0], s[1], s[2], s[3]);
    let [b0, b1, b2, b3] = matrix4(s[4], s[5], s[6], s[7]);
    let (s0, s1, s2, s3) = (a0.add(b0), a1.add(b1), a2.add(b2), a3.add(b3));
    [a0.add(s0), a1.add(s1), a2.add(s2), a3.add(s3), b0.add(s0), b1.add(s1), b2.add(s2), b3.add(s3)]
}

/// A state during the internal rounds.
#[derive(Clone, Copy)]
struct Inner<V> {
    /// Elements 0, 1, 2 and 7, of factors -2, 1, 2 and -4.
    s0: Limbs<V>,
    s1: Limbs<V>,
    s2: Limbs<V>,
    s7: Limbs<V>,
    /// Sums of elements 3 and 5, of factors 1/2 and -1/2: now, and the sums that the next round takes a quarter of.
    halves: Limbs<V>,
    halves_before: Limbs<V>,
    /// Sums of elements 4 and 6, of factors 3 and -3: now, and the sums that the next round takes ninefold.
    threes: Limbs<V>,
    threes_before: Limbs<V>,
}

#[inline(always)]
fn internal_rounds<V: Lanes, const K: usize>(states: &mut [State<V>; K]) {
    let mut inner = [begin(&states[0]); K];
    for k in 0..K {
        let s = &states[k];
        inner[k] = begin(s);
        // The first round: the difference of 4 and 6 threefold.
        let difference = s[4].sub(s[6]);
        inner[k] = internal_round(inner[k], INNER[0], difference.add(difference.times_power::<1>()));
    }
    for (index, constant) in INNER.iter().enumerate().skip(1) {
        for state in &mut inner {
            let before = state.threes_before;
            *state = internal_round(*state, *constant, before.add(before.times_power::<3>()));
        }
        if CARRY_AFTER.contains(&index) {
            for state in &mut inner {
                *state = carry(*state);
            }
        }
    }
    for k in 0..K {
        states[k] = end(inner[k]);
    }
}

#[inline(always)]
fn begin<V: Lanes>(s: &State<V>) -> Inner<V> {
    Inner {
        s0: s[0],
        s1: s[1],
        s2: s[2],
        s7: s[7],
        halves: s[3].add(s[5]),
        // A quarter of this is half of the difference.
        halves_before: s[3].sub(s[5]).times_power::<1>(),
        threes: s[4].add(s[6]),
        // The first round does not read it.
        threes_before: s[4],
    }
}

#[inline(always)]
fn internal_round<V: Lanes>(s: Inner<V>, constant: Shifted, threes_term: Limbs<V>) -> Inner<V> {
    let rest = s.s1.add(s.s2).add(s.s7).add(s.halves).add(s.threes);
    let s0 = seventh(s.s0, constant);
    let sum = rest.add(s0);
    let twice = sum.times_power::<1>();
    Inner {
        s0: sum.sub(s0.times_power::<1>()),
        s1: sum.add(s.s1),
        s2: sum.add(s.s2.times_power::<1>()),
        s7: sum.sub(s.s7.times_power::<2>()),
        halves: twice.add(s.halves_before.quarter()),
        halves_before: s.halves,
        threes: twice.add(threes_term),
        threes_before: s.threes,
    }
}

#[inline(always)]
fn carry<V: Lanes>(s: Inner<V>) -> Inner<V> {
    Inner {
        // Element 0 is made anew in each round.
        s0: s.s0,
        s1: s.s1.carried(),
        s2: s.s2.carried(),
        s7: s.s7.carried(),
        halves: s.halves.carried(),
        halves_before: s.halves_before.carried(),
        threes: s.threes.carried(),
        threes_before: s.threes_before.carried(),
    }
}

/// Back to eight elements: the differences are half and three times the sums before the last round.
#[inline(always)]
fn end<V: Lanes>(s: Inner<V>) -> State<V> {
    let half = s.halves_before.half();
    let three = s.threes_before.add(s.threes_before.times_power::<1>());
    [
        s.s0,
        s.s1,
        s.s2,
        s.halves.add(half).half(),
        s.threes.add(three).half(),
        s.halves.sub(half).half(),
        s.threes.sub(three).half(),
        s.s7,
    ]
}
