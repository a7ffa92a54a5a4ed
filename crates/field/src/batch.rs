//! Helpers over slices and indices.

use alloc::vec::Vec;

use crate::Field;

/// Replaces every element by its inverse; zeros stay zero.
///
/// Montgomery's trick: with the prefix products `P_i = x_0 ... x_i` (zeros skipped) one inversion gives `1/P_last`, and
/// going back `1/x_i = P_{i-1} / P_i`. Three multiplications per element, and scratch memory as large as the input.
pub fn batch_inverse<F: Field>(values: &mut [F]) {
    let mut product = F::ONE;
    // before[i] = product of the non-zero elements in front of i.
    let before: Vec<F> = values
        .iter()
        .map(|&value| {
            let current = product;
            if !value.is_zero() {
                product *= value;
            }
            current
        })
        .collect();
    let mut inverse = product.inverse_or_zero();
    for (value, before) in values.iter_mut().zip(before).rev() {
        if !value.is_zero() {
            let next = inverse * *value;
            *value = inverse * before;
            inverse = next;
        }
    }
}

/// The low `bits` bits of `index` in reverse order; higher bits are dropped.
///
/// # Panics
/// In builds with overflow checks, if `bits` is larger than the width of `usize`.
#[inline]
#[must_use]
pub const fn bit_reverse(index: usize, bits: u32) -> usize {
    if bits == 0 { 0 } else { index.reverse_bits() >> (usize::BITS - bits) }
}

/// The endless sequence `1, base, base^2, ...`.
#[inline]
#[must_use]
pub fn powers<F: Field>(base: F) -> Powers<F> {
    Powers { next: F::ONE, base }
}

/// Iterator made by [`powers`].
#[derive(Clone, Debug)]
pub struct Powers<F> {
    next: F,
    base: F,
}

impl<F: Field> Iterator for Powers<F> {
    type Item = F;

    #[inline]
    fn next(&mut self) -> Option<F> {
        let current = self.next;
        self.next *= self.base;
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, None)
    }
}
