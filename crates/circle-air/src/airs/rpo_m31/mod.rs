//! A Merkle tree of RPO-M31 hashes.

mod constants;
mod permutation;

use std::ops::Mul;

use field::M31;
use stwo::core::fields::FieldExpOps;
use stwo_constraint_framework::EvalAtRow;

use self::permutation::{SBOXES, Sbox, fifth_root, permute};
use super::AirInfo;
use super::merkle_tree::{Compression, DIGEST, Element, INPUT, MerkleTree, info};

pub(super) const INFO: AirInfo =
    info("rpo-m31", "the root of a Merkle tree of 2^n - 1 RPO-M31 compressions over secret leaves");

/// A tree whose nodes are RPO-M31 of 16 elements, the rate: the first 8 elements of the permutation of a state that
/// holds them, then zeros in the capacity of 8.
///
/// # Where the parameters come from
/// The paper (eprint 2024/1635) has no test vectors. Rounds, S-boxes and matrix are the paper's as Plonky3 has them
/// (p3-rescue 0.8.0, `RpoMersenne31`), whose values the tests have. The round constants are the SHAKE-256 of a tag that
/// Plonky3 took from the crate rpo-xhash-m31 0.1.0, hyphen U+2011 included. Another implementation may have another
/// tag, so other constants and digests. Two things to know:
///
/// - **Whether the matrix is MDS is not known.** It is the part of 24 rows and columns of a circulant matrix of size
///   32, whose first row is used here as both crates quote it. Entry `k` is `(2 - (1 + x)/y)/32` with
///   `x + iy = t^(2k + 1)`, where `t = 456695729 + 1567857810 i` has order 64, except entry 14: this is 63026005, and
///   the formula gives 163026005 (which Plonky3's other matrix of size 32 has, of the same construction). It
///   looks like a digit lost in print. The construction is why no minor should be zero, and it says nothing about
///   another entry. The tests try all minors of up to three rows and samples of the larger ones, of about 2^45 in all;
///   none of these is zero.
/// - **The permutation of rpo-xhash-m31 0.1.0 is another one.** It has zeros instead of the last eight entries of the
///   row, so its matrix has zeros and is not MDS. With these zeros ours is the same, which a test shows.
pub type RpoM31<L = M31> = MerkleTree<Truncated, L>;

/// The first 8 elements of the permutation of 16 elements and 8 zeros.
#[derive(Clone, Debug)]
pub struct Truncated;

impl Compression for Truncated {
    const INFO: AirInfo = INFO;
    const FAMILY: u32 = 7;
    /// The square of the input of each S-box `x^5`; the output of each S-box `x^(1/5)`, and its square.
    const COLUMNS: usize = 3 * SBOXES;

    fn compress<T: Element + Mul<Output = T>>(input: &[T; INPUT], mut column: impl FnMut(T)) -> [T; DIGEST] {
        let output = permute(input, |sbox, x| match sbox {
            Sbox::Power => {
                let square = x.clone() * x.clone();
                column(square.clone());
                square.clone() * square * x
            }
            Sbox::Root => {
                let root = fifth_root(&x);
                column(root.clone());
                column(root.clone() * root.clone());
                root
            }
        });
        std::array::from_fn(|i| output[i].clone())
    }

    /// With the square `s` of `x`, which is linear in the columns, the fifth power `s^2 x` has degree 3. It need be no
    /// column: the input of the next S-box is linear in such powers, and is compared with `q^2 y`, where `y` is the
    /// root and `q` its square. No other `y` has this fifth power.
    fn constrain<E: EvalAtRow>(eval: &mut E, input: &[E::F; INPUT]) -> [E::F; DIGEST] {
        let output = permute(input, |sbox, x| match sbox {
            Sbox::Power => {
                let square = eval.next_trace_mask();
                eval.add_constraint(square.clone() - x.square());
                square.square() * x
            }
            Sbox::Root => {
                let root = eval.next_trace_mask();
                let square = eval.next_trace_mask();
                eval.add_constraint(square.clone() - root.square());
                eval.add_constraint(square.square() * root.clone() - x);
                root
            }
        });
        std::array::from_fn(|i| output[i].clone())
    }
}
