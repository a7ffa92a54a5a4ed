//! Trees and nonces at every level against code that is not ours.

mod peers;

use field::Goldilocks;
use gpu_hal::hash::poseidon2;
use gpu_hal::{Digest, HashFn};
use rayon::ThreadPoolBuilder;
use sha3::{Digest as _, Keccak256};

use super::{SimdLevel, keccak_grind, merkle_siblings, merkle_tree, merkle_tree_into};

fn table(seed: u64, width: usize, rows: usize) -> Vec<Vec<Goldilocks>> {
    let edges = [0, 1, 2, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFE_FFFF_FFFF, 0xFFFF_FFFF, 0x1_0000_0000];
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let value = state ^ (state >> 31);
        let picked = (value >> 3) as usize % 29;
        Goldilocks::new(edges.get(picked).copied().unwrap_or(value))
    };
    (0..width).map(|_| (0..rows).map(|_| next()).collect()).collect()
}

fn expected(hash: HashFn, columns: &[Vec<Goldilocks>], rows: usize, rows_per_leaf: usize) -> Vec<Digest> {
    let count = rows / rows_per_leaf;
    let mut nodes = vec![Digest::default(); 2 * count - 1];
    for leaf in 0..count {
        let elements: Vec<Goldilocks> = (leaf * rows_per_leaf..(leaf + 1) * rows_per_leaf)
            .flat_map(|row| columns.iter().map(move |column| column[row]))
            .collect();
        nodes[count - 1 + leaf] = match hash {
            HashFn::Keccak256 => {
                let bytes: Vec<u8> = elements.iter().flat_map(|x| x.value().to_be_bytes()).collect();
                Keccak256::digest(bytes).into()
            }
            _ => poseidon2::to_bytes(poseidon2::hash(elements)),
        };
    }
    for node in (0..count - 1).rev() {
        let (left, right) = (nodes[2 * node + 1], nodes[2 * node + 2]);
        nodes[node] = match hash {
            HashFn::Keccak256 => Keccak256::digest([left, right].concat()).into(),
            _ => {
                let [left, right] = [left, right].map(|x| poseidon2::from_bytes(&x).expect("written canonical"));
                poseidon2::to_bytes(poseidon2::compress(left, right))
            }
        };
    }
    nodes
}

fn check(hash: HashFn, width: usize, rows: usize, rows_per_leaf: usize) {
    let columns = table((width * rows + rows_per_leaf) as u64, width, rows);
    let expected = expected(hash, &columns, rows, rows_per_leaf);
    let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
    for level in SimdLevel::available() {
        let nodes = merkle_tree(level, hash, &columns, rows, rows_per_leaf).expect("a valid shape");
        assert!(nodes == expected, "{hash} {level:?}: {width} columns, {rows} rows, {rows_per_leaf} a leaf");
    }
}

#[test]
fn every_node_is_the_plain_hash() {
    for hash in [HashFn::Keccak256, HashFn::Poseidon2] {
        for width in 0..=40 {
            check(hash, width, 64, 1);
        }
        for log_rows in 0..=10 {
            for width in [0, 1, 3, 17] {
                check(hash, width, 1 << log_rows, 1);
            }
        }
        for rows_per_leaf in [2, 4, 8, 16] {
            for log_leaves in 0..=7 {
                for width in [0, 1, 3, 6, 17, 34] {
                    check(hash, width, rows_per_leaf << log_leaves, rows_per_leaf);
                }
            }
        }
        check(hash, 1500, 32, 2);
    }
}

#[test]
fn trees_do_not_depend_on_the_number_of_threads() {
    let columns = table(5, 3, 1 << 13);
    let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
    for hash in [HashFn::Keccak256, HashFn::Poseidon2] {
        let trees = [1, 2, 5].map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
            pool.install(|| merkle_tree(SimdLevel::detect(), hash, &columns, 1 << 13, 1).expect("a valid shape"))
        });
        assert!(trees[0] == trees[1] && trees[1] == trees[2], "{hash}");
    }
}

#[test]
fn a_tree_without_its_lowest_levels_is_the_rest_of_the_whole_one() {
    for (hash, rows_per_leaf, log_leaves) in [
        (HashFn::Keccak256, 1, 11),
        (HashFn::Poseidon2, 1, 11),
        (HashFn::Keccak256, 2, 5),
        (HashFn::Poseidon2, 4, 3),
        (HashFn::Keccak256, 8, 4),
    ] {
        let rows = rows_per_leaf << log_leaves;
        let columns = table(9, 3, rows);
        let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
        let whole = merkle_tree(SimdLevel::detect(), hash, &columns, rows, rows_per_leaf).expect("a valid shape");
        for level in SimdLevel::available() {
            for dropped in 0..=log_leaves.min(5) {
                let mut nodes = vec![Digest::default(); 2 * (1 << (log_leaves - dropped)) - 1];
                merkle_tree_into(level, hash, &columns, rows, rows_per_leaf, dropped, &mut nodes)
                    .expect("a valid shape");
                assert!(nodes == whole[..nodes.len()], "{hash} {level:?}: {dropped} of {log_leaves} levels dropped");
                for leaf in (0..1 << log_leaves).step_by(if log_leaves > 5 { 37 } else { 1 }) {
                    let siblings = merkle_siblings(level, hash, &columns, rows, rows_per_leaf, dropped, leaf);
                    let mut node = (1 << log_leaves) - 1 + leaf;
                    for sibling in siblings.expect("a valid shape") {
                        assert_eq!(sibling, whole[((node - 1) ^ 1) + 1], "{hash}, leaf {leaf}, node {node}");
                        node = (node - 1) / 2;
                    }
                    assert_eq!(node + 1, ((1 << log_leaves) + leaf) >> dropped, "as many siblings as levels");
                }
            }
        }
        let mut nodes = [];
        let leaf = |leaf, dropped| {
            merkle_siblings(SimdLevel::Portable, hash, &columns, rows, rows_per_leaf, dropped, leaf).is_err()
        };
        assert!(leaf(1 << log_leaves, 1) && leaf(0, log_leaves + 1) && leaf(0, 64));
        assert!(merkle_tree_into(SimdLevel::Portable, hash, &columns, rows, rows_per_leaf, 6, &mut nodes).is_err());
    }
}

#[test]
fn wrong_shapes_are_errors() {
    let columns = table(1, 2, 8);
    let refused = |columns: &[&[Goldilocks]], rows, rows_per_leaf, room| {
        let mut nodes = vec![Digest::default(); room];
        merkle_tree_into(SimdLevel::Portable, HashFn::Keccak256, columns, rows, rows_per_leaf, 0, &mut nodes).is_err()
    };
    assert!(!refused(&[&columns[0], &columns[1]], 8, 1, 15));
    assert!(refused(&[&columns[0], &columns[1]], 8, 1, 16));
    assert!(refused(&[&columns[0], &columns[1]], 8, 3, 3));
    assert!(refused(&[&columns[0], &columns[1][1..]], 8, 1, 15));
    assert!(refused(&[&columns[0][..6]], 6, 1, 11));
    assert!(refused(&[&columns[0][..2]], 2, 4, 0));
    assert!(refused(&[&columns[0][..0]], 0, 1, 0));
}

fn first_word(prefix: &Digest, nonce: u64) -> u64 {
    let digest = Keccak256::new().chain_update(prefix).chain_update(nonce.to_be_bytes()).finalize();
    u64::from_be_bytes(digest[..8].try_into().expect("eight bytes"))
}

#[test]
fn nonce_is_the_smallest() {
    for seed in 0..4u8 {
        let prefix = [seed; 32];
        for bits in 0..=14 {
            let expected = (0..).find(|nonce| u128::from(first_word(&prefix, *nonce)) < 1 << (64 - bits));
            for level in SimdLevel::available() {
                for threads in [1, 2, 3] {
                    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
                    let nonce = pool.install(|| keccak_grind(level, &prefix, bits, 0..1 << 52));
                    assert_eq!(nonce, expected, "seed {seed}, {bits} bits, {level:?}, {threads} threads");
                }
            }
        }
    }
    assert_eq!(keccak_grind(SimdLevel::Portable, &[0; 32], 65, 0..1 << 52), None);
}
