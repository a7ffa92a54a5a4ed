//! Whole trees of other projects: lambdaworks-crypto for Keccak-256, p3-merkle-tree for Poseidon2.

use field::Goldilocks;
use gpu_hal::HashFn;
use gpu_hal::hash::poseidon2;
use lambdaworks_crypto::merkle_tree::backends::types::BatchKeccak256Backend;
use lambdaworks_crypto::merkle_tree::merkle::MerkleTree;
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::fields::fft_friendly::u64_goldilocks::U64GoldilocksPrimeField;
use lambdaworks_math::unsigned_integer::element::U64;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks as Peer, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTree as PeerTree;
use p3_symmetric::{PaddingFreeSponge, TruncatedPermutation};

use super::{SimdLevel, merkle_tree, table};

type Sponge = PaddingFreeSponge<Poseidon2Goldilocks<8>, 8, 4, 4>;
type Compression = TruncatedPermutation<Poseidon2Goldilocks<8>, 2, 4, 8>;

/// Roots of our tree at every level.
fn roots(hash: HashFn, columns: &[Vec<Goldilocks>], rows: usize) -> Vec<(SimdLevel, gpu_hal::Digest)> {
    let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
    SimdLevel::available()
        .into_iter()
        .map(|level| (level, merkle_tree(level, hash, &columns, rows, 1).expect("a valid shape")[0]))
        .collect()
}

#[test]
fn keccak_roots_are_those_of_lambdaworks() {
    // Its field hashes the words that it stores, so they are set directly. It takes no tree of one leaf.
    let element = |x: &Goldilocks| FieldElement::<U64GoldilocksPrimeField>::from_raw(U64::from_u64(x.value()));
    for log_rows in 1..=9 {
        for width in [1, 2, 8, 17, 18, 40] {
            let rows = 1 << log_rows;
            let columns = table(log_rows * 100 + width as u64, width, rows);
            let leaves: Vec<Vec<_>> =
                (0..rows).map(|row| columns.iter().map(|column| element(&column[row])).collect()).collect();
            let tree = MerkleTree::<BatchKeccak256Backend<U64GoldilocksPrimeField>>::build(&leaves).expect("a tree");
            for (level, root) in roots(HashFn::Keccak256, &columns, rows) {
                assert_eq!(root, tree.root, "{level:?}, {width} columns, {rows} rows");
            }
        }
    }
}

#[test]
fn poseidon2_roots_are_those_of_plonky3() {
    let permutation = default_goldilocks_poseidon2_8();
    let (sponge, compression) = (Sponge::new(permutation.clone()), Compression::new(permutation));
    for log_rows in 0..=10 {
        for width in [1, 2, 3, 4, 5, 8, 17, 40] {
            let rows = 1 << log_rows;
            let columns = table(log_rows * 100 + width as u64, width, rows);
            let elements =
                (0..rows).flat_map(|row| columns.iter().map(move |column| Peer::from_u64(column[row].value())));
            let matrix = RowMajorMatrix::new(elements.collect(), width);
            let tree = PeerTree::<Peer, Peer, _, 2, 4>::new::<Peer, Peer, _, _>(&sponge, &compression, vec![matrix]);
            let root: Vec<u64> = tree.root().into_iter().map(|x| x.as_canonical_u64()).collect();
            for (level, found) in roots(HashFn::Poseidon2, &columns, rows) {
                let found = poseidon2::from_bytes(&found).expect("canonical").map(Goldilocks::value);
                assert_eq!(root, found, "{level:?}, {width} columns, {rows} rows");
            }
        }
    }
}
