//! Merkle trees and nonce search on SIMD lanes, one hash a lane, instructions chosen at run time.
//!
//! Columns are read where they lie, column-major, and absorbed while read: neighbouring lanes are neighbouring leaves.

mod digests;
mod keccak;
pub(crate) mod lanes;
mod leaves;
mod poseidon2;
mod rows;
#[cfg(test)]
mod tests;

use field::Goldilocks;
use gpu_hal::{Digest, HalError, HashFn, Operation, Result};

pub use keccak::grind as keccak_grind;
pub(crate) use keccak::{RANDOM_WORDS, RandomBlocks};

use keccak::Keccak;
use leaves::Leaves;
use poseidon2::Poseidon2;
use rows::Rows;

use crate::merkle::{self, MIN_SUBTREE};
use crate::simd::SimdLevel;

/// The Merkle tree over the rows of `columns`, each `rows` long.
///
/// Leaf `i` is the list of elements of the rows `i * rows_per_leaf .. (i + 1) * rows_per_leaf`, one row after the
/// other, each with all its columns in order; `rows_per_leaf` is one of `LeafLayout::ROWS` of gpu-hal and the number L
/// of leaves a power of two.
///
/// Returns the `2 L - 1` nodes: the root is node 0, the children of node `v` are `2 v + 1` and `2 v + 2`, leaf `i` is
/// node `L - 1 + i`. Work is spread over the current rayon pool; the result does not depend on it, nor on `level`.
///
/// # Errors
/// Shapes other than these, and hash functions that this backend lacks.
pub fn merkle_tree(
    level: SimdLevel,
    hash: HashFn,
    columns: &[&[Goldilocks]],
    rows: usize,
    rows_per_leaf: usize,
) -> Result<Vec<Digest>> {
    let leaves = Leaves::new(columns, rows, rows_per_leaf)?;
    let mut nodes = vec![Digest::default(); 2 * leaves.count() - 1];
    build(level, hash, leaves, 0, &mut nodes)?;
    Ok(nodes)
}

/// [`merkle_tree`] without its lowest `dropped` levels (a task's subtree has more), into memory that the caller has:
/// `nodes` is `2 (L >> dropped) - 1` long.
///
/// # Errors
/// As [`merkle_tree`], more levels than that, and another length of `nodes`.
pub fn merkle_tree_into(
    level: SimdLevel,
    hash: HashFn,
    columns: &[&[Goldilocks]],
    rows: usize,
    rows_per_leaf: usize,
    dropped: u32,
    nodes: &mut [Digest],
) -> Result<()> {
    let leaves = Leaves::new(columns, rows, rows_per_leaf)?;
    check_dropped(leaves, dropped)?;
    let wanted = 2 * (leaves.count() >> dropped) - 1;
    if nodes.len() != wanted {
        return Err(HalError::invalid(
            Operation::Merkle,
            format!("room for {} nodes where the tree has {wanted}", nodes.len()),
        ));
    }
    build(level, hash, leaves, dropped, nodes)
}

/// The siblings of leaf number `leaf` and of its ancestors in the lowest `dropped` levels of [`merkle_tree`], the
/// leaf's first.
///
/// # Errors
/// As [`merkle_tree_into`], and a leaf that there is not.
pub fn merkle_siblings(
    level: SimdLevel,
    hash: HashFn,
    columns: &[&[Goldilocks]],
    rows: usize,
    rows_per_leaf: usize,
    dropped: u32,
    leaf: usize,
) -> Result<Vec<Digest>> {
    let leaves = Leaves::new(columns, rows, rows_per_leaf)?;
    check_dropped(leaves, dropped)?;
    if leaf >= leaves.count() {
        return Err(HalError::invalid(Operation::Open, format!("leaf {leaf} of a tree of {} leaves", leaves.count())));
    }
    match hash {
        HashFn::Keccak256 => Ok(merkle::siblings(&Rows { hash: Keccak, level, leaves }, leaf, dropped)),
        HashFn::Poseidon2 => Ok(merkle::siblings(&Rows { hash: Poseidon2, level, leaves }, leaf, dropped)),
        other @ (HashFn::Blake2s | HashFn::Blake2sM31 | HashFn::Poseidon252) => {
            Err(HalError::unsupported(Operation::Open, format!("hash function {other}")))
        }
    }
}

fn check_dropped(leaves: Leaves<'_>, dropped: u32) -> Result<()> {
    let most = MIN_SUBTREE.min(leaves.count()).ilog2();
    if dropped > most {
        return Err(HalError::invalid(
            Operation::Merkle,
            format!("a tree without its lowest {dropped} levels: at most {most}"),
        ));
    }
    Ok(())
}

fn build(level: SimdLevel, hash: HashFn, leaves: Leaves<'_>, dropped: u32, nodes: &mut [Digest]) -> Result<()> {
    match hash {
        HashFn::Keccak256 => merkle::build(&Rows { hash: Keccak, level, leaves }, dropped, nodes),
        HashFn::Poseidon2 => merkle::build(&Rows { hash: Poseidon2, level, leaves }, dropped, nodes),
        other @ (HashFn::Blake2s | HashFn::Blake2sM31 | HashFn::Poseidon252) => {
            return Err(HalError::unsupported(Operation::Merkle, format!("hash function {other}")));
        }
    }
    Ok(())
}
