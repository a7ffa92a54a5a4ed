//! Polynomials on cosets `shift * <root>`: `f(X) = sum c_i X^i` against its values at `shift * root^k`.

use field::{Goldilocks, bit_reverse, powers};
use gpu_hal::CosetDomain;

/// The points of a domain in storage order.
pub(crate) fn points(domain: &CosetDomain<Goldilocks>) -> Vec<Goldilocks> {
    let mut points: Vec<_> =
        powers(domain.generator()).take(1 << domain.log_size).map(|power| domain.shift * power).collect();
    bit_reverse_permute(&mut points);
    points
}

/// Puts element `i` where element `bit_reverse(i)` was. Twice is nothing.
pub(crate) fn bit_reverse_permute<T>(values: &mut [T]) {
    let bits = values.len().ilog2();
    for i in 0..values.len() {
        let j = bit_reverse(i, bits);
        if i < j {
            values.swap(i, j);
        }
    }
}
