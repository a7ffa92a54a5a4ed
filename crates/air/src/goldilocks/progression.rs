//! A product over a geometric progression, in time about the square root of its length.
//!
//! With `F(Y) = product over j < m of (z - Y r^j)`, `product over k < m q of (z - s r^k)` is the product of `F(s w^i)`,
//! `w = r^m`, over `i < q`. The q-binomial theorem gives the coefficients
//! `f_j = (-1)^j r^(j (j - 1)/2) [m choose j]_r z^(m - j)`, and `i j = C(i + j, 2) - C(i, 2) - C(j, 2)` (Bluestein)
//! makes all values one convolution: `F(s w^i) = w^(-C(i, 2)) sum over j of (f_j s^j w^(-C(j, 2))) w^C(i + j, 2)`.

use alloc::vec;
use alloc::vec::Vec;

use field::{ExtensionField, Field, Goldilocks, TwoAdicField, batch_inverse, powers};

/// Shorter products are taken factor by factor.
const SHORT: usize = 128;

/// `product over k < count of (z - first step^k)`; `step` has an order of at least `count`, and neither is zero.
pub(crate) fn product<E: ExtensionField<Goldilocks>>(z: E, first: Goldilocks, step: Goldilocks, count: usize) -> E {
    if count <= SHORT {
        return direct(z, first, step, count);
    }
    let block = 1usize << (count.ilog2() / 2);
    let blocks = count / block;
    let rest = first * step.pow((block * blocks) as u64);
    in_blocks(z, first, step, block, blocks) * direct(z, rest, step, count - block * blocks)
}

fn direct<E: ExtensionField<Goldilocks>>(z: E, first: Goldilocks, step: Goldilocks, count: usize) -> E {
    powers(step).take(count).fold(E::ONE, |product, power| product * (z - first * power))
}

/// `product over k < block blocks of (z - first step^k)`.
fn in_blocks<E: ExtensionField<Goldilocks>>(
    z: E,
    first: Goldilocks,
    step: Goldilocks,
    block: usize,
    blocks: usize,
) -> E {
    let wide = step.pow(block as u64);
    let narrow = wide.inverse_or_zero();
    // Reversed, so that the sum is a convolution; entry `block - j` belongs to j.
    let size = (block + blocks).next_power_of_two();
    let mut terms = vec![E::ZERO; size];
    let scales = powers(first).zip(triangular(narrow)).map(|(power, triangle)| power * triangle);
    for ((j, coefficient), scale) in q_binomials(step, block).into_iter().enumerate().zip(scales) {
        terms[block - j] = E::from(coefficient * scale);
    }
    // z^(block - j) stands at entry block - j.
    terms.iter_mut().zip(powers(z)).take(block + 1).for_each(|(term, power)| *term *= power);
    let mut kernel: Vec<Goldilocks> = triangular(wide).take(block + blocks).collect();
    kernel.resize(size, Goldilocks::ZERO);

    let root = Goldilocks::two_adic_generator(size.trailing_zeros());
    forward(&mut terms, root);
    forward(&mut kernel, root);
    terms.iter_mut().zip(&kernel).for_each(|(term, &value)| *term = *term * value);
    backward(&mut terms, root.inverse_or_zero());
    // The convolution is cyclic: terms beyond `size` wrap around below `block`, where nothing is read.
    let scale = Goldilocks::new(size as u64).inverse_or_zero();
    let values = terms[block..block + blocks].iter().zip(triangular(narrow));
    values.fold(E::ONE, |product, (&value, triangle)| product * (value * (scale * triangle)))
}

/// `base^C(i, 2)` for i = 0, 1, 2, ...: 1, 1, base, base^3, ...
fn triangular(base: Goldilocks) -> impl Iterator<Item = Goldilocks> {
    powers(base).scan(Goldilocks::ONE, |triangle, power| {
        let current = *triangle;
        *triangle *= power;
        Some(current)
    })
}

/// `(-1)^j r^(j (j - 1)/2) [m choose j]_r` for j = 0..=m; r has an order above m. From one to the next:
/// `b_j = -b_(j - 1) r^(j - 1) (1 - r^(m - j + 1))/(1 - r^j)`.
fn q_binomials(r: Goldilocks, m: usize) -> Vec<Goldilocks> {
    let differences: Vec<Goldilocks> = powers(r).skip(1).take(m).map(|power| Goldilocks::ONE - power).collect();
    let mut inverses = differences.clone();
    batch_inverse(&mut inverses);
    let mut all = Vec::with_capacity(m + 1);
    let mut current = Goldilocks::ONE;
    all.push(current);
    for (j, power) in (1..=m).zip(powers(r)) {
        current = -(current * power * differences[m - j] * inverses[j - 1]);
        all.push(current);
    }
    all
}

/// Values at the powers of `root`, in bit-reversed order.
fn forward<E: ExtensionField<Goldilocks>>(values: &mut [E], mut root: Goldilocks) {
    let mut length = values.len();
    while length > 1 {
        for chunk in values.chunks_exact_mut(length) {
            let (low, high) = chunk.split_at_mut(length / 2);
            for ((a, b), twiddle) in low.iter_mut().zip(high).zip(powers(root)) {
                (*a, *b) = (*a + *b, (*a - *b) * twiddle);
            }
        }
        root = root.square();
        length /= 2;
    }
}

/// Undoes [`forward`] up to a factor of the length, if given the inverse of its root.
fn backward<E: ExtensionField<Goldilocks>>(values: &mut [E], root: Goldilocks) {
    let mut length = 2;
    while length <= values.len() {
        let root = root.pow((values.len() / length) as u64);
        for chunk in values.chunks_exact_mut(length) {
            let (low, high) = chunk.split_at_mut(length / 2);
            for ((a, b), twiddle) in low.iter_mut().zip(high).zip(powers(root)) {
                let product = *b * twiddle;
                (*a, *b) = (*a + product, *a - product);
            }
        }
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use field::Fp3;

    fn points() -> [Fp3; 3] {
        let number = Goldilocks::new;
        let any = Fp3::new(number(0x0123_4567_89AB_CDEF), number(0xFEDC_BA98), number(0x1357_9BDF_0246_8ACE));
        [any, Fp3::ZERO, Fp3::from(number(1 << 40))]
    }

    #[test]
    fn every_way_of_cutting_gives_the_product() {
        let step = Goldilocks::two_adic_generator(13);
        let first = Goldilocks::new(12345);
        for z in points() {
            for (block, blocks) in [(1, 1), (1, 9), (2, 1), (3, 5), (4, 4), (4, 15), (8, 3), (16, 31), (32, 64)] {
                let expected = direct(z, first, step, block * blocks);
                assert_eq!(in_blocks(z, first, step, block, blocks), expected, "{block} {blocks}");
            }
        }
    }

    #[test]
    fn products_of_all_lengths() {
        for log_order in [11, 12, 20] {
            let step = Goldilocks::two_adic_generator(log_order);
            let first = step.pow(77);
            for count in (0..=300).chain([511, 512, 513, 1000, 1023, 1024, 1025, 1500, 2047, 2048]) {
                for z in points() {
                    assert_eq!(product(z, first, step, count), direct(z, first, step, count), "{count}");
                }
                // Over the base field, where the point may be one of the roots.
                for z in [first * step.pow(5), Goldilocks::new(99)] {
                    assert_eq!(product(z, first, step, count), direct(z, first, step, count), "{count}");
                }
            }
        }
        // All of a subgroup: z^n - 1.
        for log in [8, 15, 18, 30] {
            for z in points() {
                let step = Goldilocks::two_adic_generator(log);
                assert_eq!(product(z, Goldilocks::ONE, step, 1 << log), z.pow_two_to(log) - Fp3::ONE);
            }
        }
    }
}
