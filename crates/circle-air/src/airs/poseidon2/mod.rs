//! A Merkle tree of Poseidon2 hashes.

mod constants;
mod permutation;

use std::ops::Mul;

use field::M31;
use stwo::core::fields::FieldExpOps;
use stwo_constraint_framework::EvalAtRow;

use self::permutation::{SBOXES, permute};
use super::AirInfo;
use super::merkle_tree::{Compression, DIGEST, Element, INPUT, MerkleTree, info};

pub(super) const INFO: AirInfo =
    info("poseidon2", "the root of a Merkle tree of 2^n - 1 Poseidon2 compressions over secret leaves");

/// A tree whose nodes are the first 8 elements of the Poseidon2 permutation of 16.
pub type Poseidon2<L = M31> = MerkleTree<Truncated, L>;

/// The first 8 elements of the permutation.
#[derive(Clone, Debug)]
pub struct Truncated;

impl Compression for Truncated {
    const INFO: AirInfo = INFO;
    const FAMILY: u32 = 5;
    /// The square and the fifth power of every S-box.
    const COLUMNS: usize = 2 * SBOXES;

    fn compress<T: Element + Mul<Output = T>>(input: &[T; INPUT], mut column: impl FnMut(T)) -> [T; DIGEST] {
        let output = permute(input.clone(), |x| {
            let square = x.clone() * x.clone();
            let power = square.clone() * square.clone() * x;
            column(square);
            column(power.clone());
            power
        });
        std::array::from_fn(|i| output[i].clone())
    }

    /// The fifth power in two steps of degree 2 and 3; the input is linear in the columns.
    fn constrain<E: EvalAtRow>(eval: &mut E, input: &[E::F; INPUT]) -> [E::F; DIGEST] {
        let output = permute(input.clone(), |x| {
            let square = eval.next_trace_mask();
            let power = eval.next_trace_mask();
            eval.add_constraint(square.clone() - x.square());
            eval.add_constraint(power.clone() - square.square() * x);
            power
        });
        std::array::from_fn(|i| output[i].clone())
    }
}
