//! Inverses in the Stark field, by the steps of Bernstein and Yang ("Fast constant-time gcd computation and modular
//! inversion", 2019), many of which are one product with a matrix. The time depends on the number.

use super::felt::{Felt252, MODULUS, SQUARE};
use super::lazy::{self, Number, canonical_number, folded, minus, multiple, plus};

/// `2^768 mod p`.
const CUBE: Number = Felt252::reduced(SQUARE).montgomery();
/// Bits of a limb, and steps of a matrix.
const BITS: u32 = 62;
const MASK: i64 = (1 << BITS) - 1;
/// A signed number: `sum limb_i 2^(62 i)`. All limbs but the highest are in `[0, 2^62)`.
type Limbs = [i64; 5];

/// p. Its lowest limb is 1, so it is its own inverse mod `2^62`.
const PRIME: Limbs = limbs(MODULUS);

const fn limbs(number: Number) -> Limbs {
    let [a, b, c, d] = number;
    let mask = MASK as u64;
    [
        (a & mask) as i64,
        ((a >> 62 | b << 2) & mask) as i64,
        ((b >> 60 | c << 4) & mask) as i64,
        ((c >> 58 | d << 6) & mask) as i64,
        (d >> 56) as i64,
    ]
}

/// The inverse of a number in Montgomery form, below 2p; 0 of 0.
pub fn inverse(number: Number) -> Number {
    // `(x 2^256)^-1` times `2^512`.
    lazy::product(folded(of_number(number)), CUBE)
}

/// The inverse of a number below `2^256`, below 32p; 0 of multiples of p.
fn of_number(number: Number) -> Number {
    // `d x = f` and `e x = g` mod p, at all times.
    let (mut f, mut g) = (PRIME, limbs(canonical_number(number)));
    let (mut d, mut e) = ([0; 5], [1, 0, 0, 0, 0]);
    let mut delta = 1;
    while g != [0; 5] {
        let matrix = steps(&mut delta, f[0] | f[1] << BITS, g[0] | g[1] << BITS);
        (f, g) = product(&matrix, &f, &g, [0, 0]);
        // The multiples of p that make the lowest limbs 0.
        let multiples = matrix.map(|[a, b]| {
            let low = a.wrapping_mul(d[0]).wrapping_add(b.wrapping_mul(e[0]));
            low.wrapping_neg() << 2 >> 2
        });
        (d, e) = product(&matrix, &d, &e, multiples);
    }
    // f is 1 or -1 now, and d grew by half of p at most with each of at most 12 matrices.
    let sign = if f[4] < 0 { -1 } else { 1 };
    number_of(d.map(|limb| sign * limb))
}

/// The matrix of 62 steps, times `2^62`, from the lowest bits of f, which is odd, and of g.
fn steps(delta: &mut i64, f: i64, g: i64) -> [[i64; 2]; 2] {
    let (mut f, mut g) = (f as u64, g as u64);
    let [[mut u, mut v], [mut q, mut r]] = [[1i64, 0], [0, 1]];
    let mut left = BITS;
    loop {
        let zeros = g.trailing_zeros().min(left);
        g >>= zeros;
        (u, v) = (u << zeros, v << zeros);
        *delta += i64::from(zeros);
        left -= zeros;
        if left == 0 {
            return [[u, v], [q, r]];
        }
        if *delta > 0 {
            *delta = -*delta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, -u);
            (v, r) = (r, -v);
        }
        // f stays for so many steps, which add it where g is odd. Its square is 1 mod 8.
        let bits = (1 - *delta).min(i64::from(left)).min(3);
        let times = g.wrapping_neg().wrapping_mul(f) & ((1 << bits) - 1);
        g = g.wrapping_add(times.wrapping_mul(f));
        q += times as i64 * u;
        r += times as i64 * v;
    }
}

/// The product of a matrix with two numbers, plus multiples of p, over `2^62`, which it is a multiple of.
fn product(matrix: &[[i64; 2]; 2], x: &Limbs, y: &Limbs, multiples: [i64; 2]) -> (Limbs, Limbs) {
    let row = |[a, b]: [i64; 2], multiple: i64| {
        let mut out = [0; 5];
        let mut sum = 0i128;
        for at in 0..5 {
            sum += i128::from(a) * i128::from(x[at]) + i128::from(b) * i128::from(y[at]);
            sum += i128::from(multiple) * i128::from(PRIME[at]);
            if at > 0 {
                out[at - 1] = sum as i64 & MASK;
            }
            sum >>= BITS;
        }
        out[4] = sum as i64;
        out
    };
    (row(matrix[0], multiples[0]), row(matrix[1], multiples[1]))
}

/// The number of signed limbs between -8p and 8p, below 32p. On the way it may wrap.
fn number_of(limbs: [i64; 5]) -> Number {
    let mut out = multiple(8);
    for (limb, at) in limbs.into_iter().zip(0u32..) {
        let (word, shift) = ((at * BITS / 64) as usize, at * BITS % 64);
        let wide = u128::from(limb.unsigned_abs()) << shift;
        let mut number = [0; 4];
        number[word] = wide as u64;
        if let Some(next) = number.get_mut(word + 1) {
            *next = (wide >> 64) as u64;
        }
        out = if limb < 0 { minus(out, number) } else { plus(out, number) };
    }
    out
}
