//! Coefficients of `E(x)`, the polynomial that vanishes on the end exemptions.

use alloc::vec::Vec;

use field::{Field, Goldilocks, TwoAdicField, batch_inverse, powers};

use crate::Rows;

/// Writes the coefficients of `E(x) = product over k = 1..=e of (x - s r^k)`, `s = g^o`, `r = g^(-pi)`, `e` below the
/// order of `r`; `out` has more than `e` elements, all zero. A trace has `n = 2^log_n` rows.
///
/// The roots are a geometric progression, so this is the q-binomial theorem:
/// `E(x) = sum over j of (-1)^j (s r)^j r^(j (j - 1)/2) [e choose j]_r x^(e - j)`,
/// `[e choose j]_r = product over i = 1..=j of (1 - r^(e - i + 1))/(1 - r^i)`.
/// From one coefficient to the next:
/// `c_(e - j) = -c_(e - j + 1) s r^j (1 - r^(e - j + 1))/(1 - r^j)`.
pub(crate) fn end_coefficients(rows: &Rows, log_n: u32, out: &mut [Goldilocks]) {
    let (n, exempt) = (1 << log_n, rows.end_exemptions());
    debug_assert!(exempt < n / rows.period(), "r^i = 1 for some i <= e");
    let g = Goldilocks::two_adic_generator(log_n);
    let s = g.pow(rows.offset() as u64);
    let r = g.pow((n - rows.period()) as u64);
    let mut inverses: Vec<Goldilocks> = powers(r).skip(1).take(exempt).map(|power| Goldilocks::ONE - power).collect();
    let differences = inverses.clone();
    batch_inverse(&mut inverses);
    let (mut coefficient, mut root) = (Goldilocks::ONE, s);
    out[exempt] = coefficient;
    for j in 1..=exempt {
        root *= r;
        coefficient = -(coefficient * root * differences[exempt - j] * inverses[j - 1]);
        out[exempt - j] = coefficient;
    }
}
