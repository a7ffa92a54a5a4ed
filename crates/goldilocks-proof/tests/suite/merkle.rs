//! Paths in trees that are built here with foreign hash functions: tiny-keccak and Plonky3's Poseidon2.

use field::{Field, Fp3, Goldilocks, PrimeField};
use goldilocks_proof::merkle::{Claim, PathError, leaf_digest, verify_paths};
use goldilocks_proof::{Digest, HashFn};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks as Peer, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_symmetric::{CryptographicHasher, PaddingFreeSponge, PseudoCompressionFunction, TruncatedPermutation};
use proptest::prelude::*;
use tiny_keccak::{Hasher, Keccak};

const HASHES: [HashFn; 2] = [HashFn::Keccak256, HashFn::Poseidon2];

fn keccak(bytes: &[u8]) -> Digest {
    let mut hasher = Keccak::v256();
    hasher.update(bytes);
    let mut out = [0; 32];
    hasher.finalize(&mut out);
    out
}

fn peers(bytes: &[u8]) -> Vec<Peer> {
    bytes.chunks_exact(8).map(|word| Peer::from_u64(u64::from_be_bytes(word.try_into().expect("8 bytes")))).collect()
}

fn digest(peers: [Peer; 4]) -> Digest {
    let bytes: Vec<u8> = peers.iter().flat_map(|peer| peer.as_canonical_u64().to_be_bytes()).collect();
    bytes.try_into().expect("32 bytes")
}

/// Digest of a leaf with these canonical bytes.
fn leaf(hash: HashFn, bytes: &[u8]) -> Digest {
    match hash {
        HashFn::Keccak256 => keccak(bytes),
        HashFn::Poseidon2 => {
            let sponge = PaddingFreeSponge::<Poseidon2Goldilocks<8>, 8, 4, 4>::new(default_goldilocks_poseidon2_8());
            digest(sponge.hash_iter(peers(bytes)))
        }
        _ => unreachable!("{hash} is none of these trees"),
    }
}

fn node(hash: HashFn, left: &Digest, right: &Digest) -> Digest {
    match hash {
        HashFn::Keccak256 => keccak(&[*left, *right].concat()),
        HashFn::Poseidon2 => {
            let compress =
                TruncatedPermutation::<Poseidon2Goldilocks<8>, 2, 4, 8>::new(default_goldilocks_poseidon2_8());
            let pair = [left, right].map(|digest| peers(digest).try_into().expect("four elements"));
            digest(compress.compress(pair))
        }
        _ => unreachable!("{hash} is none of these trees"),
    }
}

/// Checks one path, node by node.
fn verify_path(hash: HashFn, root: &Digest, depth: u32, claim: &Claim<'_>) -> Result<(), PathError> {
    let &Claim { index, leaf, path } = claim;
    if path.len() != depth as usize {
        return Err(PathError::Length { expected: depth, found: path.len() });
    }
    if index >> depth != 0 {
        return Err(PathError::Index { index, depth });
    }
    let parent = |(index, node): (u64, Digest), sibling: &Digest| {
        let [left, right] = if index & 1 == 0 { [node, *sibling] } else { [*sibling, node] };
        Ok((index >> 1, hash.parent(&left, &right).ok_or(PathError::Root)?))
    };
    let (_, top) = path.iter().try_fold((index, leaf), parent)?;
    if top == *root { Ok(()) } else { Err(PathError::Root) }
}

/// All levels of a tree, leaves first.
fn tree(hash: HashFn, depth: u32) -> Vec<Vec<Digest>> {
    let mut levels = vec![(0..1u64 << depth).map(|i| leaf(hash, &(i * i + 7).to_be_bytes())).collect::<Vec<_>>()];
    for _ in 0..depth {
        let below = levels.last().expect("not empty");
        levels.push(below.chunks_exact(2).map(|pair| node(hash, &pair[0], &pair[1])).collect());
    }
    levels
}

fn path(levels: &[Vec<Digest>], index: usize) -> Vec<Digest> {
    levels[..levels.len() - 1].iter().enumerate().map(|(level, nodes)| nodes[(index >> level) ^ 1]).collect()
}

fn root(levels: &[Vec<Digest>]) -> Digest {
    levels[levels.len() - 1][0]
}

#[test]
fn leaves_are_the_canonical_bytes() {
    let elements: Vec<Goldilocks> =
        (0..40u64).map(|i| Goldilocks::new(i.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    let cubic: Vec<Fp3> = elements.chunks_exact(3).map(|c| Fp3::new(c[0], c[1], c[2])).collect();
    for hash in HASHES {
        for length in 0..40 {
            let bytes: Vec<u8> = elements[..length].iter().flat_map(|x| x.value().to_be_bytes()).collect();
            assert_eq!(leaf_digest(hash, &elements[..length]), leaf(hash, &bytes), "{hash:?}, {length} elements");
            if length % 3 == 0 {
                assert_eq!(
                    leaf_digest(hash, &cubic[..length / 3]),
                    leaf(hash, &bytes),
                    "{hash:?}, {length} coordinates"
                );
            }
        }
    }
}

#[test]
fn poseidon2_digests_must_be_canonical() {
    let good = leaf_digest(HashFn::Poseidon2, &[Goldilocks::ONE]);
    assert!(HashFn::Poseidon2.parent(&good, &good).is_some());
    for word in 0..4 {
        let mut bad = good;
        bad[8 * word..8 * word + 8].copy_from_slice(&Goldilocks::ORDER.to_be_bytes());
        assert_eq!(HashFn::Poseidon2.parent(&bad, &good), None);
        assert_eq!(HashFn::Poseidon2.parent(&good, &bad), None);
        assert!(HashFn::Keccak256.parent(&good, &bad).is_some(), "any 32 bytes are a Keccak digest");
        let claim = Claim { index: 0, leaf: good, path: &[bad] };
        assert_eq!(verify_path(HashFn::Poseidon2, &good, 1, &claim), Err(PathError::Root));
        assert_eq!(verify_paths(HashFn::Poseidon2, &good, 1, &[claim]), Err((0, PathError::Root)));
    }
}

#[test]
fn every_leaf_of_small_trees_and_every_flipped_byte() {
    for hash in HASHES {
        for depth in 0..5 {
            let levels = tree(hash, depth);
            for index in 0..1usize << depth {
                let path = path(&levels, index);
                let leaf = levels[0][index];
                fn claim(index: usize, leaf: Digest, path: &[Digest]) -> Claim<'_> {
                    Claim { index: index as u64, leaf, path }
                }
                let check = |claim: Claim<'_>| {
                    let single = verify_path(hash, &root(&levels), depth, &claim);
                    assert_eq!(verify_paths(hash, &root(&levels), depth, &[claim]), single.map_err(|e| (0, e)));
                    single
                };
                assert_eq!(check(claim(index, leaf, &path)), Ok(()));
                for level in 0..depth as usize {
                    let mut other = path.clone();
                    other[level][index % 32] ^= 1;
                    assert_eq!(check(claim(index, leaf, &other)), Err(PathError::Root));
                }
                for other in (0..1u64 << depth).filter(|&other| other != index as u64) {
                    assert_eq!(check(Claim { index: other, ..claim(index, leaf, &path) }), Err(PathError::Root));
                }
                let longer = [&path[..], &[[0; 32]]].concat();
                let found = longer.len();
                assert_eq!(check(claim(index, leaf, &longer)), Err(PathError::Length { expected: depth, found }));
                if let Some((_, shorter)) = path.split_last() {
                    let found = shorter.len();
                    assert_eq!(check(claim(index, leaf, shorter)), Err(PathError::Length { expected: depth, found }));
                }
                let beyond = (1 << depth) + index as u64;
                let error = PathError::Index { index: beyond, depth };
                assert_eq!(check(Claim { index: beyond, ..claim(index, leaf, &path) }), Err(error));
            }
        }
    }
}

#[test]
fn the_root_of_a_tree_of_one_leaf_is_that_leaf() {
    let leaf = [9; 32];
    let claim = Claim { index: 0, leaf, path: &[] };
    assert_eq!(verify_paths(HashFn::Keccak256, &leaf, 0, &[claim]), Ok(()));
    assert_eq!(verify_paths(HashFn::Keccak256, &[8; 32], 0, &[claim]), Err((0, PathError::Root)));
    assert_eq!(verify_paths(HashFn::Keccak256, &[8; 32], 0, &[]), Ok(()));
}

/// As deep as an index has bits: no tree is, and no shift goes over the end.
#[test]
fn the_deepest_path_is_judged() {
    let path = [[0; 32]; 64];
    let claim = Claim { index: u64::MAX, leaf: [0; 32], path: &path };
    assert_eq!(verify_paths(HashFn::Keccak256, &[0; 32], 64, &[claim]), Err((0, PathError::Root)));
}

#[test]
fn suites_have_the_hash_functions_of_goldilocks() {
    assert_eq!(goldilocks_proof::Suite::ALL.map(goldilocks_proof::Suite::tree), HASHES);
    assert!(HASHES.iter().all(|hash| hash.takes::<Goldilocks>()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Many paths together are accepted iff each alone is, whatever is wrong and wherever.
    #[test]
    fn many_paths_are_as_good_as_each(
        depth in 1u32..7,
        indices in proptest::collection::vec(any::<usize>(), 1..30),
        damage in proptest::option::of((any::<usize>(), any::<usize>(), 0usize..32, 1u8..)),
        hash in proptest::sample::select(HASHES.to_vec()),
    ) {
        let levels = tree(hash, depth);
        let indices: Vec<usize> = indices.iter().map(|index| index % (1 << depth)).collect();
        let mut leaves: Vec<Digest> = indices.iter().map(|&index| levels[0][index]).collect();
        let mut paths: Vec<Vec<Digest>> = indices.iter().map(|&index| path(&levels, index)).collect();
        if let Some((claim, level, byte, flip)) = damage {
            let claim = claim % indices.len();
            // Level `depth` stands for the leaf itself.
            match level % (depth as usize + 1) {
                level if level == depth as usize => leaves[claim][byte] ^= flip,
                level => paths[claim][level][byte] ^= flip,
            }
        }
        let claims: Vec<Claim<'_>> = indices
            .iter()
            .zip(&leaves)
            .zip(&paths)
            .map(|((&index, &leaf), path)| Claim { index: index as u64, leaf, path })
            .collect();
        let root = root(&levels);
        let each = claims.iter().all(|claim| verify_path(hash, &root, depth, claim).is_ok());
        prop_assert_eq!(each, damage.is_none());
        let together = verify_paths(hash, &root, depth, &claims);
        prop_assert_eq!(together.is_ok(), each);
        if let Err((position, _)) = together {
            prop_assert!(position < claims.len());
        }
    }
}
