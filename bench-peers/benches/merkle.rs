//! Merkle trees next to p3-merkle-tree, in one run: `cd bench-peers && cargo bench --bench merkle [-- ROUNDS]`.
//!
//! For each shape ours and theirs alternate, and the shortest time of each is compared: other work on the machine only
//! adds time. Poseidon2 roots must agree. The Keccak trees do the same number of permutations but are not the same
//! trees: theirs is Plonky3's fastest, an overwrite-mode sponge over words.

use std::time::{Duration, Instant};

use backend_cpu::Cpu;
use field::Goldilocks;
use gpu_hal::hash::poseidon2;
use gpu_hal::{GoldilocksStark, HashFn, LeafLayout, StarkBackend};
use p3_commit::Mmcs;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::{Goldilocks as Peer, Poseidon2Goldilocks, default_goldilocks_poseidon2_8};
use p3_keccak::{KeccakF, VECTOR_LEN};
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher, TruncatedPermutation};

type Packing = <Peer as Field>::Packing;
type Perm = Poseidon2Goldilocks<8>;
type PoseidonMmcs =
    MerkleTreeMmcs<Packing, Packing, PaddingFreeSponge<Perm, 8, 4, 4>, TruncatedPermutation<Perm, 2, 4, 8>, 2, 4>;
type KeccakSponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type KeccakMmcs = MerkleTreeMmcs<
    [Peer; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<KeccakSponge>,
    CompressionFunctionFromHasher<KeccakSponge, 2, 4>,
    2,
    4,
>;

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let out = work();
    (start.elapsed(), out)
}

fn report(name: &str, log_rows: u32, width: usize, ours: Duration, theirs: Duration) {
    println!(
        "{name:9} 2^{log_rows} x {width:3}: ours {:8.2} ms, p3 {:8.2} ms, p3/ours {:.2}",
        ours.as_secs_f64() * 1e3,
        theirs.as_secs_f64() * 1e3,
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
}

fn main() {
    let rounds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(7);
    let backend = Cpu::<GoldilocksStark>::new();
    println!("{}, shortest of {rounds} alternating rounds", backend.capabilities().device);
    for (log_rows, width) in [(18, 8), (18, 64), (20, 3)] {
        let rows = 1usize << log_rows;
        let mut state = 1u64;
        let table: Vec<u64> = (0..rows * width)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state ^ (state >> 32)) % 0xFFFF_FFFF_0000_0001
            })
            .collect();
        let columns: Vec<Goldilocks> = (0..width)
            .flat_map(|column| (0..rows).map(move |row| (column, row)))
            .map(|(column, row)| Goldilocks::new(table[row * width + column]))
            .collect();
        let columns = backend.upload(&columns, width, log_rows).expect("canonical columns");
        let matrix = RowMajorMatrix::new(table.iter().map(|x| Peer::from_u64(*x)).collect(), width);

        let permutation = default_goldilocks_poseidon2_8();
        let poseidon =
            PoseidonMmcs::new(PaddingFreeSponge::new(permutation.clone()), TruncatedPermutation::new(permutation), 0);
        let sponge = KeccakSponge::new(KeccakF {});
        let keccak = KeccakMmcs::new(SerializingHasher::new(sponge), CompressionFunctionFromHasher::new(sponge), 0);

        let mut best = [Duration::MAX; 4];
        for _ in 0..rounds {
            let layout = LeafLayout::new(1);
            let tree = |hash| backend.merkle(&[columns.as_ref()], layout, hash).expect("a valid shape");
            let (ours, tree_of_ours) = timed(|| tree(HashFn::Poseidon2));
            let input = vec![matrix.clone()];
            let (theirs, (root, _)) = timed(|| poseidon.commit(input));
            let root: Vec<u64> = root.roots()[0].iter().map(PrimeField64::as_canonical_u64).collect();
            let our_root = poseidon2::from_bytes(&backend.root(&tree_of_ours).expect("a tree"))
                .expect("canonical")
                .map(Goldilocks::value);
            assert_eq!(root, our_root, "roots differ");
            best[0] = best[0].min(ours);
            best[1] = best[1].min(theirs);
            drop(tree_of_ours);

            let (ours, tree_of_ours) = timed(|| tree(HashFn::Keccak256));
            let input = vec![matrix.clone()];
            let (theirs, commitment) = timed(|| keccak.commit(input));
            std::hint::black_box((tree_of_ours, commitment));
            best[2] = best[2].min(ours);
            best[3] = best[3].min(theirs);
        }
        report("poseidon2", log_rows, width, best[0], best[1]);
        report("keccak", log_rows, width, best[2], best[3]);
    }
}
