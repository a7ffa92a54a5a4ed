//! Merkle trees and the nonce search.

use field::{CanonicalBytes, Goldilocks};
use gpu_hal::{DeviceTree, Digest, HashFn, LeafLayout, NonceSearch, OpenRequest, StarkBackend};
use lambdaworks_crypto::merkle_tree::merkle::MerkleTree;
use lambdaworks_crypto::merkle_tree::traits::IsMerkleTreeBackend;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks as Peer, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_keccak::Keccak256Hash;
use p3_matrix::dense::RowMajorMatrix;
use p3_symmetric::{CryptographicHasher, PaddingFreeSponge, TruncatedPermutation};

use crate::operations::common::{Backend, random};

/// (log rows, widths of the tables, rows a leaf).
const SHAPES: [(u32, &[usize], usize); 11] = [
    (0, &[1], 1),
    (1, &[2], 2),
    (2, &[3], 4),
    (3, &[0], 1),
    (3, &[1, 4], 1),
    (4, &[3, 0, 2], 2),
    (5, &[40], 1),
    (6, &[3], 2),
    (4, &[17, 5], 4),
    (6, &[3, 2], 8),
    (5, &[5], 16),
];

fn tables(log_height: u32, widths: &[usize]) -> Vec<Vec<Goldilocks>> {
    widths.iter().zip(1..).map(|(width, seed)| random(seed, width << log_height)).collect()
}

/// The elements of every leaf, straight from the columns.
fn leaves(log_height: u32, tables: &[Vec<Goldilocks>], rows_per_leaf: usize) -> Vec<Vec<Goldilocks>> {
    let height = 1 << log_height;
    let row =
        |row: usize| tables.iter().flat_map(move |table| table.chunks_exact(height).map(move |column| column[row]));
    (0..height / rows_per_leaf)
        .map(|leaf| (0..rows_per_leaf).flat_map(|k| row(leaf * rows_per_leaf + k)).collect())
        .collect()
}

/// The root, and the path of every leaf.
fn commit(
    log_height: u32,
    data: &[Vec<Goldilocks>],
    widths: &[usize],
    rows_per_leaf: usize,
    hash: HashFn,
) -> (Digest, Vec<Vec<Digest>>) {
    let backend: Backend = Backend::new();
    let tables: Vec<_> = data
        .iter()
        .zip(widths)
        .map(|(data, width)| backend.upload(data, *width, log_height).expect("upload"))
        .collect();
    let tables: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
    let tree = backend.merkle(&tables, LeafLayout::new(rows_per_leaf), hash).expect("a tree");
    assert_eq!(1 << tree.log_leaves(), (1 << log_height) / rows_per_leaf);
    let all: Vec<usize> = (0..1 << tree.log_leaves()).collect();
    // Any order, with repeats.
    let rows: Vec<usize> = (0..1 << log_height).rev().chain([0]).collect();
    let request = OpenRequest { columns: &tables, tree: &tree, rows: &rows, leaves: &all };
    let mut opened = backend.open(&[request]).expect("openings");
    let opened = opened.pop().expect("one request");
    let by_row = leaves(log_height, data, 1);
    assert_eq!(opened.rows, rows.iter().map(|row| by_row[*row].clone()).collect::<Vec<_>>());
    (backend.root(&tree).expect("root"), opened.paths)
}

/// Keccak-256 of Plonky3 in the tree of lambdaworks.
#[derive(Clone)]
struct Keccak;

impl IsMerkleTreeBackend for Keccak {
    type Node = Digest;
    type Data = Vec<Goldilocks>;

    fn hash_data(leaf: &Vec<Goldilocks>) -> Digest {
        let mut bytes = Vec::new();
        leaf.iter().for_each(|element| element.write_bytes(&mut bytes));
        Keccak256Hash.hash_iter(bytes)
    }

    fn hash_new_parent(left: &Digest, right: &Digest) -> Digest {
        Keccak256Hash.hash_iter([*left, *right].concat())
    }
}

#[test]
fn keccak_trees_are_those_of_lambdaworks() {
    for (log_height, widths, rows_per_leaf) in SHAPES {
        let data = tables(log_height, widths);
        let (root, paths) = commit(log_height, &data, widths, rows_per_leaf, HashFn::Keccak256);
        let tree = MerkleTree::<Keccak>::build(&leaves(log_height, &data, rows_per_leaf)).expect("leaves");
        assert_eq!(root, tree.root, "2^{log_height} rows of {widths:?}");
        for (leaf, path) in paths.iter().enumerate() {
            let proof = tree.get_proof_by_pos(leaf).expect("a leaf of the tree");
            assert_eq!(*path, proof.merkle_path, "leaf {leaf} of 2^{log_height} rows of {widths:?}");
        }
    }
}

#[test]
fn poseidon2_roots_are_those_of_plonky3() {
    type Sponge = PaddingFreeSponge<Poseidon2Goldilocks<8>, 8, 4, 4>;
    type Compress = TruncatedPermutation<Poseidon2Goldilocks<8>, 2, 4, 8>;
    let sponge = Sponge::new(default_goldilocks_poseidon2_8());
    let compress = Compress::new(default_goldilocks_poseidon2_8());
    for (log_height, widths, rows_per_leaf) in SHAPES {
        if widths.iter().sum::<usize>() == 0 {
            continue; // Plonky3 has no matrix without columns
        }
        let data = tables(log_height, widths);
        let (root, _) = commit(log_height, &data, widths, rows_per_leaf, HashFn::Poseidon2);
        let leaves = leaves(log_height, &data, rows_per_leaf);
        let width = leaves[0].len();
        let values = leaves.concat().iter().map(|x| Peer::from_u64(x.value())).collect();
        let tree = p3_merkle_tree::MerkleTree::<Peer, Peer, _, 2, 4>::new::<Peer, Peer, _, _>(
            &sponge,
            &compress,
            vec![RowMajorMatrix::new(values, width)],
        );
        let expected: [Peer; 4] = tree.root().into();
        let expected: Vec<u8> = expected.iter().flat_map(|x| x.as_canonical_u64().to_be_bytes()).collect();
        assert_eq!(root[..], expected, "2^{log_height} rows of {widths:?}");
    }
}

#[test]
fn poseidon2_paths_lead_to_the_root() {
    use gpu_hal::hash::poseidon2;
    let data = tables(5, &[3, 4]);
    let (root, paths) = commit(5, &data, &[3, 4], 2, HashFn::Poseidon2);
    for (index, (leaf, path)) in leaves(5, &data, 2).into_iter().zip(paths).enumerate() {
        let top = path.iter().enumerate().fold(poseidon2::hash(leaf), |node, (level, sibling)| {
            let sibling = poseidon2::from_bytes(sibling).expect("canonical");
            if index >> level & 1 == 0 {
                poseidon2::compress(node, sibling)
            } else {
                poseidon2::compress(sibling, node)
            }
        });
        assert_eq!(poseidon2::to_bytes(top), root, "leaf {index}");
    }
}

#[test]
fn grind_finds_the_smallest_nonce() {
    let backend: Backend = Backend::new();
    for (seed, bits) in (0..=12).zip(0..).chain([(99, 7), (100, 8), (101, 9)]) {
        let challenge = NonceSearch { hash: HashFn::Keccak256, prefix: [seed; 32], bits };
        let good = |nonce: &u64| {
            let hash = Keccak256Hash.hash_iter([&challenge.prefix[..], &nonce.to_be_bytes()].concat());
            let head = u64::from_be_bytes(hash[..8].try_into().expect("eight bytes"));
            u128::from(head) < 1 << (64 - bits)
        };
        let expected = (0..).find(good);
        assert_eq!(backend.grind(&challenge).expect("a search"), expected, "{bits} bits");
        let expected = (5 << 12..6 << 12).find(good);
        assert_eq!(backend.grind_within(&challenge, 5..6).expect("a search"), expected, "{bits} bits from a window on");
    }
}
