//! Batch inversion on lanes.

use field::{Field, Goldilocks};

use super::arith::Packed;
use crate::lanes::MAX_LANES;

/// Independent chains of products, so that a multiplication need not wait for the one before.
const CHAINS: usize = 4;

/// Replaces every element by its inverse, zeros staying zero. Elements may be lazy, before and after. The length must
/// be a multiple of `V::LANES`; `before` is scratch of the same length.
///
/// Montgomery's trick on every lane of every chain: with `P_i` the product of the elements before `i`, going back,
/// `1/x_i = P_i / P_{i+1}`. One scalar inversion in all. If an element is zero, so is the product of all, and the work
/// is done again by a way that knows zeros.
#[inline(always)]
pub(crate) fn batch_inverse<V: Packed>(values: &mut [u64], before: &mut [u64]) {
    assert_eq!(values.len(), before.len(), "scratch as long as the values");
    assert_eq!(values.len() % V::LANES, 0, "whole registers");
    if values.is_empty() {
        return;
    }
    let registers = values.len() / V::LANES;
    let chains = if registers.is_multiple_of(CHAINS) { CHAINS } else { 1 };
    let mut products = [V::splat_raw(1); CHAINS];
    let (source, scratch) = (values.as_mut_ptr(), before.as_mut_ptr());
    for step in 0..registers / chains {
        for (chain, product) in products.iter_mut().enumerate().take(chains) {
            let at = (step * chains + chain) * V::LANES;
            // SAFETY: `at + LANES` is at most the length of both slices.
            unsafe {
                product.store_raw(scratch.add(at));
                *product = product.mul(V::load_raw(source.add(at)));
            }
        }
    }
    let Some(mut inverses) = invert_registers(products) else {
        return scalar(values);
    };
    for step in (0..registers / chains).rev() {
        for (chain, inverse) in inverses.iter_mut().enumerate().take(chains) {
            let at = (step * chains + chain) * V::LANES;
            // SAFETY: `at + LANES` is at most the length of both slices.
            unsafe {
                let value = V::load_raw(source.add(at));
                inverse.mul(V::load_raw(scratch.add(at))).store_raw(source.add(at));
                *inverse = inverse.mul(value);
            }
        }
    }
}

/// The inverses of all lanes; `None` if one is zero.
#[inline(always)]
fn invert_registers<V: Packed>(registers: [V; CHAINS]) -> Option<[V; CHAINS]> {
    let mut lanes = [1u64; CHAINS * MAX_LANES];
    for (index, register) in registers.iter().enumerate() {
        // SAFETY: the array has room for the widest registers.
        unsafe { register.store_raw(lanes.as_mut_ptr().add(index * V::LANES)) };
    }
    let mut before = [Goldilocks::ONE; CHAINS * MAX_LANES];
    let mut product = Goldilocks::ONE;
    for (lane, before) in lanes.iter().zip(&mut before) {
        *before = product;
        product *= Goldilocks::new(*lane);
    }
    let mut inverse = product.inverse()?;
    for (lane, before) in lanes.iter_mut().zip(before).rev() {
        let value = Goldilocks::new(*lane);
        *lane = (inverse * before).value();
        inverse *= value;
    }
    let mut result = registers;
    for (index, register) in result.iter_mut().enumerate() {
        // SAFETY: the array has room for the widest registers.
        *register = unsafe { V::load_raw(lanes.as_ptr().add(index * V::LANES)) };
    }
    Some(result)
}

#[cold]
#[inline(never)]
fn scalar(values: &mut [u64]) {
    let mut elements: Vec<Goldilocks> = values.iter().map(|value| Goldilocks::new(*value)).collect();
    field::batch_inverse(&mut elements);
    for (value, element) in values.iter_mut().zip(elements) {
        *value = element.value();
    }
}
