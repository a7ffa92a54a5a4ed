//! What the arithmetic of a protocol costs at least, in products of its base field. The formulas are in docs/benchmarks.md.

use crate::Goldilocks3;
use gpu_hal::{CircleStark, Protocol};

use crate::amount::Work;

/// Costs of a protocol.
pub trait Cost: Protocol {
    /// Products of the base field on an H100 or H200, in G/s; `None` if nobody measured them.
    const PRODUCTS: Option<f64>;
    /// A product of the extension.
    const EXT_PRODUCT: f64;
    /// A product that is added to an unreduced sum.
    const MAC: f64;
    /// A term of the DEEP quotient at a point, but for its weighted sum.
    const TERM: f64;

    /// Products an element of a transform of `2^log` points.
    fn twiddles(log: u32) -> f64;

    /// Products an element of what comes before the transform of an extension.
    const SHIFT: f64;

    /// A search for a nonce that ends with `nonce`.
    fn search(nonce: u64) -> Work;

    /// Bytes of an element.
    const ELEMENT: u64 = size_of::<Self::Base>() as u64;
    /// Base columns of a column over the extension.
    const COLUMNS: u64 = Self::DEGREE as u64;
}

/// By the instructions that they take on a GPU: 19 a product, 142 a product of the extension, about half a product for one that is
/// added to an unreduced sum.
impl Cost for Goldilocks3 {
    const PRODUCTS: Option<f64> = Some(1070.0);
    const EXT_PRODUCT: f64 = 142.0 / 19.0;
    const MAC: f64 = 0.5;
    /// Three products of the inversion in batches, one by the sum.
    const TERM: f64 = 4.0 * Self::EXT_PRODUCT;
    /// The power of the shift that every coefficient is multiplied by.
    const SHIFT: f64 = 1.0;

    /// Between two groups of four levels, which a radix-16 butterfly does by shifts alone.
    fn twiddles(log: u32) -> f64 {
        f64::from(log.div_ceil(4).saturating_sub(1))
    }

    /// In the order of the numbers, one permutation each.
    fn search(nonce: u64) -> Work {
        Work { keccak: nonce as f64 + 1.0, ..Work::default() }
    }
}

/// A product takes four instructions (product, shift, sum, reduction); one that is added to a sum of 64 bits takes one.
impl Cost for CircleStark {
    const PRODUCTS: Option<f64> = None;
    /// Karatsuba's way twice: three products of three.
    const EXT_PRODUCT: f64 = 9.0;
    const MAC: f64 = 0.25;
    /// Over CM31, where a product is three: the denominator is two products, its share of an inversion in batches three; then the sum, two
    /// elements of CM31, by the inverse, and the slope by y.
    const TERM: f64 = 2.0 * 3.0 + 3.0 * 3.0 + 2.0 * 3.0 + 4.0;
    const SHIFT: f64 = 0.0;

    /// One for each pair and level.
    fn twiddles(log: u32) -> f64 {
        f64::from(log) / 2.0
    }

    /// Low words below 2^20 for one high word after the other (circle.md, section 12), one compression each.
    fn search(nonce: u64) -> Work {
        let (high, low) = (nonce >> 32, nonce & 0xffff_ffff);
        Work { blake2s: (high as f64) * f64::from(1 << 20) + low as f64 + 1.0, ..Work::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_count_what_was_tried() {
        assert_eq!(Goldilocks3::search(0).keccak, 1.0);
        assert_eq!(Goldilocks3::search(1 << 33).keccak, 8589934593.0);
        assert_eq!(CircleStark::search((1 << 20) - 1).blake2s, f64::from(1 << 20));
        // After the last low word comes the next high one.
        assert_eq!(CircleStark::search(1 << 32).blake2s, f64::from((1 << 20) + 1));
    }

    #[test]
    fn sizes_are_those_of_the_fields() {
        assert_eq!((Goldilocks3::ELEMENT, Goldilocks3::COLUMNS), (8, 3));
        assert_eq!((CircleStark::ELEMENT, CircleStark::COLUMNS), (4, 4));
    }
}
