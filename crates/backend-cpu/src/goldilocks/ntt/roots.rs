//! Roots of unity and the powers of a block's first point.
//!
//! A block of a transform is described by one number: the evaluation point c at its first position. Position j of a
//! block of size 2^k holds the value at `c root(k)^br(j)`. So its sub-block t of R starts at `c root(k)^br(t)`, and the
//! transform needs no tables that grow with its size.

use std::sync::OnceLock;

use field::{Field, Goldilocks, TwoAdicField, bit_reverse};

/// The direction of a transform: which roots it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// `root(k)`.
    Forward,
    /// `root(k)^-1`.
    Inverse,
}

/// All roots of unity of order `2^k`, `k <= 32`, and the tables of the leaves: about 1.5 KB, for all sizes.
struct Tables {
    roots: [Goldilocks; 33],
    leaf: [[u64; 8]; 8],
}

impl Tables {
    fn new(invert: bool) -> Self {
        let mut roots = [Goldilocks::ONE; 33];
        for (bits, root) in (0..).zip(&mut roots) {
            *root = Goldilocks::two_adic_generator(bits);
            if invert {
                *root = root.inverse_or_zero();
            }
        }
        let mut leaf = [[0; 8]; 8];
        for (u, row) in leaf.iter_mut().enumerate() {
            for (k, entry) in row.iter_mut().enumerate() {
                *entry = roots[6].pow((u * bit_reverse(k, 3)) as u64).value();
            }
        }
        Self { roots, leaf }
    }
}

fn tables(direction: Direction) -> &'static Tables {
    static FORWARD: OnceLock<Tables> = OnceLock::new();
    static INVERSE: OnceLock<Tables> = OnceLock::new();
    match direction {
        Direction::Forward => FORWARD.get_or_init(|| Tables::new(false)),
        Direction::Inverse => INVERSE.get_or_init(|| Tables::new(true)),
    }
}

/// `root(bits)` or its inverse.
pub(super) fn root(direction: Direction, bits: u32) -> Goldilocks {
    tables(direction).roots[bits as usize]
}

/// `leaf[u][k] = root(6)^(u br_3(k))`, or with the inverse root.
pub(super) fn leaf_table(direction: Direction) -> &'static [[u64; 8]; 8] {
    &tables(direction).leaf
}

/// The first point of part `index` of the `2^parts_log` equal parts of a block of size `2^bits` that starts at `first`.
pub(super) fn part_first(
    direction: Direction,
    first: Goldilocks,
    bits: u32,
    parts_log: u32,
    index: usize,
) -> Goldilocks {
    first * root(direction, bits).pow(bit_reverse(index, parts_log) as u64)
}

/// `x^(2^log)`.
fn pow_two_to(mut x: Goldilocks, log: u32) -> Goldilocks {
    for _ in 0..log {
        x = x.square();
    }
    x
}

/// `scale s^t` for t in 0..R, `s = first^(2^row_log)`: the twiddles of a pass over R rows of size `2^row_log`.
pub(super) fn pass_twiddles<const R: usize>(first: Goldilocks, row_log: u32, scale: Goldilocks) -> [u64; R] {
    let s = pow_two_to(first, row_log);
    let mut power = scale;
    std::array::from_fn(|_| {
        let current = power;
        power *= s;
        current.value()
    })
}
