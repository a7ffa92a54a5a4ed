//! What differs between the protocols.

use gpu_hal::{DeepTerm, Digest, Domain, EvalOrder, GrindChallenge, HashFn, Protocol};

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
    /// The hash functions of trees.
    const HASHES: &'static [HashFn];

    /// Log2 of the largest height.
    const MAX_LOG_HEIGHT: u32;

    /// From coefficients to values in the given order, in place, for every column.
    fn evaluate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// From values in the given order to coefficients, in place, for every column.
    fn interpolate(columns: &mut [Self::Base], domain: &Self::Domain, order: EvalOrder);

    /// The value of the polynomial with these coefficients at a point.
    fn value(coefficients: &[Self::Base], point: Self::Point) -> Self::Ext;

    /// What a term subtracts from the weighted values at a point of the domain.
    fn subtrahend(term: &DeepTerm<Self>, at: <Self::Domain as Domain>::At) -> Self::Ext;

    /// The inverses of a term's denominators at points of the domain, zero having the inverse zero.
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[<Self::Domain as Domain>::At]) -> Vec<Self::Ext>;

    /// A hash function of trees; `None` for one that is not in [`Self::HASHES`].
    fn tree_hash(hash: HashFn) -> Option<TreeHash<Self::Base>>;

    /// The nonce of a try, the tries being numbered in the order of the search.
    fn nonce(number: u64) -> u64;

    /// Whether a nonce will do.
    fn is_work(challenge: &GrindChallenge, nonce: u64) -> bool;
}
