//! Functions of floating-point numbers that `core` does not have. They are libm's on every system, and so a browser
//! computes the host's figures, to the last bit.

pub use libm::{ceil, exp2, floor, log2, sqrt};

/// `x^n` by `n - 1` products.
pub(super) fn power(x: f64, n: u32) -> f64 {
    (1..n).fold(x, |power, _| power * x)
}
