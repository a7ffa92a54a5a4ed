//! Merkle trees: a leaf is the hash of a list of elements, a parent that of its two children.

use field::{CanonicalBytes, Goldilocks};
use gpu_hal::hash::poseidon2;
use gpu_hal::{Columns, Digest, GrindChallenge, HalError, HashFn, LeafLayout, Operation, Result};
use sha3::{Digest as _, Keccak256};

use super::table::base;
use crate::memory::{CpuBuffer, CpuTree, Memory};

type HashLeaf = fn(&[Goldilocks]) -> Digest;
type HashParent = fn(&Digest, &Digest) -> Digest;

/// The hash functions that [`tree`] has.
pub(crate) const HASHES: [HashFn; 2] = [HashFn::Keccak256, HashFn::Poseidon2];

/// The tree over the rows of tables of one height: leaf `i` takes the rows `i * rows_per_leaf ..`, each with all its columns.
pub(crate) fn tree(
    memory: &Memory,
    tables: &[Columns<&CpuBuffer<Goldilocks>>],
    layout: LeafLayout,
    hash: HashFn,
) -> Result<CpuTree> {
    let (leaf, parent): (HashLeaf, HashParent) = match hash {
        HashFn::Keccak256 => (keccak_leaf, keccak_parent),
        HashFn::Poseidon2 => (poseidon2_leaf, poseidon2_parent),
        _ => return Err(HalError::unsupported(Operation::Merkle.name(), format!("{hash}: no such hash here"))),
    };
    let log_leaves = tables[0].log_height - layout.rows_per_leaf.ilog2();
    let mut tree = memory.tree(Operation::Merkle, log_leaves, 0)?;
    let first_leaf = (1 << log_leaves) - 1;
    let nodes = tree.nodes_mut();
    for index in 0..=first_leaf {
        let rows = index * layout.rows_per_leaf..(index + 1) * layout.rows_per_leaf;
        nodes[first_leaf + index] = leaf(&rows.flat_map(|r| row(tables, r)).collect::<Vec<_>>());
    }
    for node in (0..first_leaf).rev() {
        nodes[node] = parent(&nodes[2 * node + 1], &nodes[2 * node + 2]);
    }
    Ok(tree)
}

/// All columns of all tables at a row.
pub(crate) fn row(tables: &[Columns<&CpuBuffer<Goldilocks>>], row: usize) -> Vec<Goldilocks> {
    tables.iter().flat_map(|table| (0..table.width).map(move |column| base(table, column, row))).collect()
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

/// The smallest nonce with `BE64(first 8 bytes of Keccak256(digest || BE8(nonce))) < 2^(64 - bits)`, which says that the first
/// `bits` bits are zero.
pub(crate) fn grind(challenge: &GrindChallenge) -> Option<u64> {
    (0..=u64::MAX).find(|nonce| {
        let hash = Keccak256::new().chain_update(challenge.digest).chain_update(nonce.to_be_bytes()).finalize();
        let zeros = hash.iter().take_while(|byte| **byte == 0).count();
        let partial = hash.get(zeros).map_or(0, |byte| byte.leading_zeros());
        zeros as u32 * 8 + partial >= challenge.bits
    })
}
