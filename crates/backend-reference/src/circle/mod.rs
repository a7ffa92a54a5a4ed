//! The Circle protocol, on the circle over M31 and on the line of its x-coordinates.

mod fft;

use blake2::{Blake2s256, Digest as _};
use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{CM31, Field, M31, QM31, batch_inverse};
use gpu_hal::{CircleDomain, CircleStark, DeepTerm, Digest, EvalOrder, GrindChallenge, HashFn};

use crate::protocol::{ReferenceProtocol, TreeHash};

impl ReferenceProtocol for CircleStark {
    const HASHES: &'static [HashFn] = &[HashFn::Blake2s];

    const MAX_LOG_HEIGHT: u32 = MAX_LOG_DOMAIN;

    fn evaluate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
        fft::evaluate(columns, domain, order);
    }

    fn interpolate(columns: &mut [M31], domain: &CircleDomain, order: EvalOrder) {
        fft::interpolate(columns, domain, order);
    }

    /// A coefficient's function is the product over the set bits of its index of `y`, `x`, `pi(x)`, ... (circle.md, section 2).
    fn value(coefficients: &[M31], point: CirclePoint<QM31>) -> QM31 {
        let mut factors = vec![point.y];
        let mut x = point.x;
        while 1 << factors.len() < coefficients.len() {
            factors.push(x);
            x = CirclePoint::double_x(x);
        }
        let product = |index: usize| {
            let set = factors.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
            set.fold(QM31::ONE, |product, (_, factor)| product * *factor)
        };
        coefficients.iter().enumerate().map(|(index, c)| product(index) * *c).sum()
    }

    fn subtrahend(term: &DeepTerm<Self>, at: CirclePoint<M31>) -> QM31 {
        term.constant + term.slope * at.y
    }

    /// `1/((P.x.0 - q.x) * P.y.1 - (P.y.0 - q.y) * P.x.1)` (circle.md, section 10).
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[CirclePoint<M31>]) -> Vec<QM31> {
        let CirclePoint { x, y } = term.point;
        let denominator =
            |q: &CirclePoint<M31>| (x.z0() - CM31::from(q.x)) * y.z1() - (y.z0() - CM31::from(q.y)) * x.z1();
        let mut inverses: Vec<CM31> = points.iter().map(denominator).collect();
        batch_inverse(&mut inverses);
        inverses.into_iter().map(|inverse| QM31::from_cm31(inverse, CM31::ZERO)).collect()
    }

    fn tree_hash(hash: HashFn) -> Option<TreeHash<M31>> {
        match hash {
            HashFn::Blake2s => Some(TreeHash { leaf: blake2s_leaf, parent: blake2s_parent }),
            _ => None,
        }
    }

    /// The smallest high word first, then the smallest low word below 2^20 (circle.md, section 12).
    fn nonce(number: u64) -> u64 {
        let (high, low) = (number >> 20, number % (1 << 20));
        high << 32 | low
    }

    /// Whether `Blake2s(digest || LE8(nonce))` has as many trailing zero bits in its first 16 bytes, read as a little-endian number.
    fn is_work(challenge: &GrindChallenge, nonce: u64) -> bool {
        let hash = Blake2s256::new().chain_update(challenge.digest).chain_update(nonce.to_le_bytes()).finalize();
        let first: [u8; 16] = std::array::from_fn(|i| hash[i]);
        u128::from_le_bytes(first).trailing_zeros() >= challenge.bits
    }
}

/// `Blake2s` of the concatenated little-endian elements.
fn blake2s_leaf(elements: &[M31]) -> Digest {
    let mut hash = Blake2s256::new();
    elements.iter().for_each(|element| hash.update(element.value().to_le_bytes()));
    hash.finalize().into()
}

/// `Blake2s(left || right)`.
fn blake2s_parent(left: &Digest, right: &Digest) -> Digest {
    Blake2s256::new().chain_update(left).chain_update(right).finalize().into()
}
