//! What differs between the two protocols, beside the geometry that [`gpu_hal::Domain`] has.

use blake2::Blake2s256;
use field::circle::{CirclePoint, MAX_LOG_DOMAIN, coset_row_to_storage};
use field::{CM31, CanonicalBytes, ExtensionField, Field, Goldilocks, M31, QM31, TwoAdicField, bit_reverse};
use gpu_hal::{CircleDomain, CircleStark, CosetDomain, DeepTerm, Digest, Domain, GoldilocksStark, HashFn, Protocol};
use sha3::{Digest as _, Keccak256};

/// A point of a domain.
pub(crate) type At<P> = <<P as Protocol>::Domain as Domain>::At;

/// A protocol that the toy proves.
pub trait ToyProtocol: Protocol<Base: CanonicalBytes> {
    /// The only hash function of trees that the toy has.
    const HASH: HashFn;

    /// Log2 of the largest height of a column.
    const MAX_LOG_HEIGHT: u32;

    /// That function. A leaf is the hash of its elements' bytes, a parent that of its children.
    fn digest(bytes: &[u8]) -> Digest;

    /// The nonce of a try, the tries being numbered in the order of the search for a proof of work.
    fn nonce(number: u64) -> u64;

    /// How many bits of work a nonce proves.
    fn work(challenge: &Digest, nonce: u64) -> u32;

    /// Where a row of a table in row order is in storage order.
    fn row_to_storage(domain: &Self::Domain, row: usize) -> usize;

    /// The functions `t_0, t_1, ...` at a point outside the domains: coefficient `i` belongs to the product of `t_k` over
    /// the set bits `k` of `i`.
    fn basis(point: Self::Point, count: u32) -> Vec<Self::Ext>;

    /// What a term of the quotient subtracts from the weighted values at a point of the domain.
    fn subtrahend(term: &DeepTerm<Self>, at: At<Self>) -> Self::Ext;

    /// What a term of the quotient divides by at a point of the domain.
    fn denominator(term: &DeepTerm<Self>, at: At<Self>) -> Self::Ext;
}

impl<E: ExtensionField<Goldilocks>> ToyProtocol for GoldilocksStark<E> {
    const HASH: HashFn = HashFn::Keccak256;

    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    fn digest(bytes: &[u8]) -> Digest {
        Keccak256::digest(bytes).into()
    }

    fn nonce(number: u64) -> u64 {
        number
    }

    /// Leading zeros of the hash's first eight bytes.
    fn work(challenge: &Digest, nonce: u64) -> u32 {
        let hash = Self::digest(&[&challenge[..], &nonce.to_be_bytes()].concat());
        u64::from_be_bytes(first(&hash)).leading_zeros()
    }

    fn row_to_storage(domain: &CosetDomain<Goldilocks>, row: usize) -> usize {
        bit_reverse(row, domain.log_size)
    }

    /// `x, x^2, x^4, ...`
    fn basis(x: E, count: u32) -> Vec<E> {
        (0..count).map(|k| x.pow_two_to(k)).collect()
    }

    fn subtrahend(term: &DeepTerm<Self>, _: Goldilocks) -> E {
        term.constant
    }

    fn denominator(term: &DeepTerm<Self>, x: Goldilocks) -> E {
        E::from(x) - term.point
    }
}

impl ToyProtocol for CircleStark {
    const HASH: HashFn = HashFn::Blake2s;

    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;

    fn digest(bytes: &[u8]) -> Digest {
        Blake2s256::digest(bytes).into()
    }

    /// The smallest high word first, then the smallest low word below 2^20.
    fn nonce(number: u64) -> u64 {
        ((number >> 20) << 32) | (number % (1 << 20))
    }

    /// Trailing zeros of the hash's first sixteen bytes.
    fn work(challenge: &Digest, nonce: u64) -> u32 {
        let hash = Self::digest(&[&challenge[..], &nonce.to_le_bytes()].concat());
        u128::from_le_bytes(first(&hash)).trailing_zeros()
    }

    /// Rows follow the coset on a circle, and the natural order on a line.
    fn row_to_storage(domain: &CircleDomain, row: usize) -> usize {
        match domain {
            CircleDomain::Circle { log_size, .. } => coset_row_to_storage(row, *log_size),
            CircleDomain::Line { log_size, .. } => bit_reverse(row, *log_size),
        }
    }

    /// `y, x, 2x^2 - 1, ...`
    fn basis(point: CirclePoint<QM31>, count: u32) -> Vec<QM31> {
        let doubled = (0..count.saturating_sub(1)).map(|k| CirclePoint::repeated_double_x(point.x, k));
        std::iter::once(point.y).chain(doubled).take(count as usize).collect()
    }

    fn subtrahend(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        term.constant + term.slope * at.y
    }

    /// A value in CM31.
    fn denominator(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        let CirclePoint { x, y } = term.point;
        let value = (x.z0() - CM31::from(at.x)) * y.z1() - (y.z0() - CM31::from(at.y)) * x.z1();
        QM31::from_cm31(value, CM31::ZERO)
    }
}

fn first<const N: usize>(hash: &Digest) -> [u8; N] {
    std::array::from_fn(|i| hash[i])
}
