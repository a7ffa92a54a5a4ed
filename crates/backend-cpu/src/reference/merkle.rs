//! Merkle trees: a leaf is the hash of a list of elements, a parent that of its two children.

use blake2::Blake2s256;
use field::{CanonicalBytes, ExtensionField, Goldilocks, M31};
use gpu_hal::hash::poseidon2;
use gpu_hal::{
    CircleStark, Columns, Digest, GoldilocksStark, HalError, HashFn, LeafLayout, OpenRequest, Opened, Operation,
    Protocol, Result, StarkBackend, check,
};
use sha3::{Digest as _, Keccak256};

use super::table::base;
use crate::memory::{CpuBuffer, CpuTree, Memory};

type Table<'a, P> = Columns<&'a CpuBuffer<<P as Protocol>::Base>>;
type HashLeaf<F> = fn(&[F]) -> Digest;
type HashParent = fn(&Digest, &Digest) -> Digest;

/// The hash functions of a protocol's trees.
pub(crate) trait Hashes: Protocol {
    /// Their names.
    const HASHES: &'static [HashFn];

    /// Leaf and parent.
    fn functions(hash: HashFn) -> Option<(HashLeaf<Self::Base>, HashParent)>;
}

impl<E: ExtensionField<Goldilocks>> Hashes for GoldilocksStark<E> {
    const HASHES: &'static [HashFn] = &[HashFn::Keccak256, HashFn::Poseidon2];

    fn functions(hash: HashFn) -> Option<(HashLeaf<Goldilocks>, HashParent)> {
        match hash {
            HashFn::Keccak256 => Some((keccak_leaf, keccak_parent)),
            HashFn::Poseidon2 => Some((poseidon2_leaf, poseidon2_parent)),
            _ => None,
        }
    }
}

impl Hashes for CircleStark {
    const HASHES: &'static [HashFn] = &[HashFn::Blake2s];

    fn functions(hash: HashFn) -> Option<(HashLeaf<M31>, HashParent)> {
        match hash {
            HashFn::Blake2s => Some((blake2s_leaf, blake2s_parent)),
            _ => None,
        }
    }
}

/// The tree over the rows of tables: leaf `i` takes the rows `i * rows_per_leaf ..`, each with all its columns.
pub(crate) fn tree<P: Hashes>(
    memory: &Memory,
    tables: &[Table<'_, P>],
    layout: LeafLayout,
    hash: HashFn,
) -> Result<CpuTree> {
    let log_height = check::merkle::<P, _>(tables, layout, hash, P::HASHES)?;
    let (leaf, parent) = P::functions(hash)
        .ok_or_else(|| HalError::unsupported(Operation::Merkle.name(), format!("{hash}: no such hash here")))?;
    let log_leaves = log_height - layout.rows_per_leaf.ilog2();
    let mut tree = memory.tree(Operation::Merkle, log_leaves, 0)?;
    let first_leaf = (1 << log_leaves) - 1;
    let nodes = tree.nodes_mut();
    for index in 0..=first_leaf {
        let rows = index * layout.rows_per_leaf..(index + 1) * layout.rows_per_leaf;
        nodes[first_leaf + index] = leaf(&rows.flat_map(|r| row::<P>(tables, r, log_height)).collect::<Vec<_>>());
    }
    for node in (0..first_leaf).rev() {
        nodes[node] = parent(&nodes[2 * node + 1], &nodes[2 * node + 2]);
    }
    Ok(tree)
}

/// All columns of all tables at a row of `2^log_height`, lower tables lifted.
pub(crate) fn row<P: Protocol>(tables: &[Table<'_, P>], row: usize, log_height: u32) -> Vec<P::Base> {
    let element = |table: &Table<'_, P>, column| base(table, column, P::lift_index(row, log_height, table.log_height));
    tables.iter().flat_map(|table| (0..table.width).map(move |column| element(table, column))).collect()
}

/// What a request asks for; it is checked.
pub(crate) fn open<B>(request: &OpenRequest<'_, B>) -> Opened<<B::P as Protocol>::Base>
where
    B: StarkBackend<Tree = CpuTree, Buffer = CpuBuffer<<<B as StarkBackend>::P as Protocol>::Base>>,
{
    let log_rows = check::open_log_rows(request);
    Opened {
        rows: request.rows.iter().map(|at| row::<B::P>(request.columns, *at, log_rows)).collect(),
        paths: request.leaves.iter().map(|leaf| request.tree.path(*leaf)).collect(),
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
