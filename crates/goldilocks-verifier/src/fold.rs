//! A fold of two opposite points, as both formats have it.

use field::{ExtensionField, Goldilocks};

/// `(v + s) + zeta (v - s)/x`, with s the value at `-x`.
pub(crate) fn folded_pair<E: ExtensionField<Goldilocks>>(v: E, s: E, zeta: E, x_inverse: Goldilocks) -> E {
    (v + s) + zeta * ((v - s) * x_inverse)
}
