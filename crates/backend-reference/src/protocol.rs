//! What differs between the protocols.

use gpu_hal::{DeepTerm, Digest, EvalOrder, GrindChallenge, HashFn, Protocol};

/// A hash function of trees over columns of `F`.
#[derive(Clone, Copy, Debug)]
pub struct TreeHash<F> {
    /// The digest of a leaf's elements.
    pub leaf: fn(&[F]) -> Digest,
    /// The digest of two nodes, the left one first.
    pub parent: fn(&Digest, &Digest) -> Digest,
}

/// A protocol that [`crate::CpuReference`] has operations for. Domains are valid, and of the columns' height where there are columns.
pub trait ReferenceProtocol: Protocol {
    /// A point of a domain.
    type At: Copy;

    /// The hash functions of trees.
    const HASHES: &'static [HashFn];

    /// Log2 of the largest height.
    const MAX_LOG_HEIGHT: u32;

    /// From coefficients to values in the given order, in place, for every column.
    fn evaluate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// From values in the given order to coefficients, in place, for every column.
    fn interpolate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// Whether polynomials on one domain are polynomials on the other.
    fn same_basis(a: &Self::Domain, b: &Self::Domain) -> bool;

    /// The coefficient that becomes number `index` of part `part`, of `parts` parts of `2^log_part` coefficients.
    fn split_index(index: usize, part: usize, parts: usize, log_part: u32) -> usize;

    /// The value of the polynomial with these coefficients at a point.
    fn value(coefficients: &[Self::Base], point: Self::Point) -> Self::Ext;

    /// The first `2^log_size` points of a domain in storage order.
    fn points(domain: &Self::Domain, log_size: u32) -> Vec<Self::At>;

    /// `x^(2^log_power)` on a coset, the x-coordinate after `log_power` doublings on a circle.
    fn power(at: Self::At, log_power: u32) -> Self::Base;

    /// The storage index of the point `offset` rows on from index `storage`, one of the first `2^log_eval`.
    fn neighbour(storage: usize, offset: i32, log_trace: u32, log_eval: u32, log_size: u32) -> usize;

    /// What a fold divides the difference of the values at a point and at its opposite by.
    fn fold_divisor(domain: &Self::Domain, at: Self::At) -> Self::Base;

    /// What a term subtracts from the weighted values at a point of the domain.
    fn subtrahend(term: &DeepTerm<Self>, at: Self::At) -> Self::Ext;

    /// The inverses of a term's denominators at points of the domain, zero having the inverse zero.
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[Self::At]) -> Vec<Self::Ext>;

    /// A hash function of trees; `None` for one that is not in [`Self::HASHES`].
    fn tree_hash(hash: HashFn) -> Option<TreeHash<Self::Base>>;

    /// The first nonce of the search order.
    fn grind(challenge: &GrindChallenge) -> Option<u64>;
}
