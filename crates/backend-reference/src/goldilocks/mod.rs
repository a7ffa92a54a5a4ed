//! The Goldilocks protocol, on multiplicative cosets.

mod fft;

use field::{CanonicalBytes, ExtensionField, Goldilocks, TwoAdicField, batch_inverse};
use gpu_hal::hash::poseidon2;
use gpu_hal::{CosetDomain, DeepTerm, Digest, EvalOrder, GoldilocksStark, GrindChallenge, HashFn};
use sha3::{Digest as _, Keccak256};

use crate::protocol::{ReferenceProtocol, TreeHash};

impl<E: ExtensionField<Goldilocks>> ReferenceProtocol for GoldilocksStark<E> {
    const HASHES: &'static [HashFn] = &[HashFn::Keccak256, HashFn::Poseidon2];

    const MAX_LOG_HEIGHT: u32 = Goldilocks::TWO_ADICITY;

    fn evaluate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
        fft::evaluate(columns, domain, order);
    }

    fn interpolate(columns: &mut [Goldilocks], domain: &CosetDomain<Goldilocks>, order: EvalOrder) {
        fft::interpolate(columns, domain, order);
    }

    /// `f(point) = c_0 + point (c_1 + point (c_2 + ...))`.
    fn value(coefficients: &[Goldilocks], point: E) -> E {
        coefficients.iter().rev().fold(E::ZERO, |sum, c| sum * point + *c)
    }

    fn subtrahend(term: &DeepTerm<Self>, _: Goldilocks) -> E {
        term.constant
    }

    /// `1/(x - point)`.
    fn inverse_denominators(term: &DeepTerm<Self>, points: &[Goldilocks]) -> Vec<E> {
        let mut inverses: Vec<E> = points.iter().map(|x| E::from(*x) - term.point).collect();
        batch_inverse(&mut inverses);
        inverses
    }

    fn tree_hash(hash: HashFn) -> Option<TreeHash<Goldilocks>> {
        match hash {
            HashFn::Keccak256 => Some(TreeHash { leaf: keccak_leaf, parent: keccak_parent }),
            HashFn::Poseidon2 => Some(TreeHash { leaf: poseidon2_leaf, parent: poseidon2_parent }),
            _ => None,
        }
    }

    fn nonce(number: u64) -> u64 {
        number
    }

    /// Whether `BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) < 2^(64 - bits)`, which says that the first
    /// `bits` bits are zero.
    fn is_work(challenge: &GrindChallenge, nonce: u64) -> bool {
        let hash = Keccak256::new().chain_update(challenge.digest).chain_update(nonce.to_be_bytes()).finalize();
        let zeros = hash.iter().take_while(|byte| **byte == 0).count();
        let partial = hash.get(zeros).map_or(0, |byte| byte.leading_zeros());
        zeros as u32 * 8 + partial >= challenge.bits
    }
}

/// `Keccak256` of the concatenated big-endian elements.
fn keccak_leaf(elements: &[Goldilocks]) -> Digest {
    let mut bytes = Vec::new();
    elements.iter().for_each(|element| element.write_bytes(&mut bytes));
    Keccak256::digest(&bytes).into()
}

/// `Keccak256(left || right)`.
fn keccak_parent(left: &Digest, right: &Digest) -> Digest {
    Keccak256::new().chain_update(left).chain_update(right).finalize().into()
}

fn poseidon2_leaf(elements: &[Goldilocks]) -> Digest {
    poseidon2::to_bytes(poseidon2::hash(elements.iter().copied()))
}

fn poseidon2_parent(left: &Digest, right: &Digest) -> Digest {
    let [left, right] =
        [left, right].map(|digest| poseidon2::from_bytes(digest).expect("every node is the bytes of four elements"));
    poseidon2::to_bytes(poseidon2::compress(left, right))
}
