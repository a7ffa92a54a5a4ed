//! Amounts of work: moved words and computed products, at the prices of a protocol's arithmetic on a machine.

use field::{Goldilocks, M31};

use crate::hash::Permutation;
use crate::op::Cost;
use crate::{Digest, HashFn};

/// The least cost of a protocol's arithmetic, in products of its base field. docs/benchmarks.md has the formulas.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    /// Bytes of an element of the base field.
    pub element: usize,
    /// A product of the extension.
    pub ext_product: f64,
    /// A product that is added to an unreduced sum.
    pub mac: f64,
    /// A term of the DEEP quotient at a point, without its weighted sum.
    pub term: f64,
    /// Products an element before the transform of an extension.
    pub shift: f64,
    /// Products an element of a transform of `2^log` points.
    pub twiddles: fn(u32) -> f64,
}

/// The price of a product of Fp3 in those of Goldilocks, by the instructions that they take on a GPU.
const FP3_PRODUCT: f64 = 142.0 / 19.0;

impl Prices {
    /// By the instructions that they take on a GPU: 19 a product, 142 a product of the extension, about half a product
    /// for one that is added to an unreduced sum.
    pub const GOLDILOCKS: Self = Self {
        element: size_of::<Goldilocks>(),
        ext_product: FP3_PRODUCT,
        mac: 0.5,
        // Three products of the inversion in batches, one by the sum.
        term: 4.0 * FP3_PRODUCT,
        // The power of the shift that every coefficient is multiplied by.
        shift: 1.0,
        // Between two groups of four levels, which a radix-16 butterfly does by shifts alone.
        twiddles: |log| f64::from(log.div_ceil(4).saturating_sub(1)),
    };

    /// A product takes four instructions (product, shift, sum, reduction); one that is added to a sum of 64 bits takes
    /// one.
    pub const CIRCLE: Self = Self {
        element: size_of::<M31>(),
        // Karatsuba's way twice: three products of three.
        ext_product: 9.0,
        mac: 0.25,
        // Over CM31, where a product is three: the denominator is two products, its share of an inversion in batches
        // three; then the sum, two elements of CM31, by the inverse, and the slope by y.
        term: 2.0 * 3.0 + 3.0 * 3.0 + 2.0 * 3.0 + 4.0,
        shift: 0.0,
        // One for each pair and level.
        twiddles: |log| f64::from(log) / 2.0,
    };
}

/// Work, for instance the least that an operation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Bytes read from and written to the device's memory.
    pub bytes: f64,
    /// Bytes between host and device.
    pub link_bytes: f64,
    /// Products of the base field.
    pub products: f64,
    /// Permutations `Keccak-f[1600]`.
    pub keccak: f64,
    /// Compressions of Blake2s.
    pub blake2s: f64,
    /// Permutations Hades.
    pub hades: f64,
}

/// Poseidon2 of width 8 over Goldilocks: 8 full rounds of 8 S-boxes, 22 partial rounds of one, four products each; of
/// 14 instructions instead of 19, as the values between them need not be canonical.
const POSEIDON2_PRODUCTS: f64 = 344.0 * 14.0 / 19.0;

impl Work {
    /// The work of a cost at the prices of its protocol. A search ends with `nonce`; `levels` is how many levels of a
    /// transform run between two trips to memory.
    pub fn of(prices: &Prices, cost: &Cost, nonce: u64, levels: u32) -> Self {
        let mut moved = cost.moved;
        let mut products = cost.products
            + cost.ext_products * prices.ext_product
            + cost.added_products * prices.mac
            + cost.shifts * prices.shift
            + cost.deep_terms * prices.term;
        for transform in &cost.transforms {
            let passes = f64::from(transform.log_size.div_ceil(levels).max(1));
            moved += 2.0 * transform.elements * (passes - 1.0);
            products += transform.elements * (prices.twiddles)(transform.log_size);
        }
        let element = prices.element as f64;
        let mut work = Self {
            bytes: element * moved + size_of::<Digest>() as f64 * cost.digests,
            link_bytes: element * cost.transferred,
            products,
            ..Self::default()
        };
        let search = cost.search.map(|hash| (hash, tries(hash, nonce)));
        for (hash, permutations) in cost.hashes.into_iter().chain(search) {
            match hash.permutation() {
                Permutation::Keccak => work.keccak += permutations,
                Permutation::Poseidon2 => work.products += permutations * POSEIDON2_PRODUCTS,
                Permutation::Blake2s => work.blake2s += permutations,
                Permutation::Hades => work.hades += permutations,
            }
        }
        work
    }
}

/// The tries of a search that ends with `nonce`, one permutation each.
pub fn tries(hash: HashFn, nonce: u64) -> f64 {
    hash.nonces().number(nonce) as f64 + 1.0
}
