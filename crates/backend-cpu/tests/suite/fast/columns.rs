//! Transforms, copies, trees, openings, nonces.

use field::{Fp3, Goldilocks};
use gpu_hal::erased::Device;
use gpu_hal::{CosetDomain, GoldilocksStark, HashFn, LeafLayout, NonceSearch, OpenRequest, StarkBackend};
use rand::Rng;

use crate::fast::compare::{Case, Table, Transforms, backends, compare, rng, words};

type P = GoldilocksStark<Fp3>;

#[test]
fn transforms() {
    let backends = backends();
    for seed in 0..48 {
        let mut rng = rng(seed);
        let log_height = seed as u32 % 14;
        let width = rng.random_range(0..5);
        let table = Table::random(&mut rng, width, log_height);
        let mut shift = || Goldilocks::from(rng.random_range(1..4u64));
        let domain = CosetDomain::new(shift(), log_height);
        let to = CosetDomain::new(shift(), log_height + seed as u32 % 4);
        compare(&format!("transforms {seed}"), &Transforms::<P> { table, domain, to }, &backends);
    }
}

/// Parts, picks, a part of the rows.
struct Copies(Vec<Table<Goldilocks>>);

impl Case for Copies {
    type P = P;

    fn run(&self, backend: &Device<P>) -> Vec<u64> {
        let tables: Vec<_> = self.0.iter().map(|table| table.upload(backend)).collect();
        let columns: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let log_height = columns[0].log_height;
        let mut results = Vec::new();
        for (parts, log_part) in [(1, log_height), (2, log_height.saturating_sub(1)), (3, log_height.saturating_sub(3))]
        {
            if parts << log_part <= 1 << log_height {
                results.extend(words(backend, &backend.split(columns[1], parts, log_part).expect("well-formed")));
            }
        }
        let picks = [(1, 5), (0, 1), (0, 0), (1, 5)];
        results.extend(words(backend, &backend.select(&columns, &picks).expect("well-formed")));
        let rows = columns[0].height() / 3..columns[0].height() - columns[0].height() / 4;
        let part = backend.download(columns[0], rows).expect("well-formed");
        results.extend(part.into_iter().map(Goldilocks::value));
        results
    }
}

#[test]
fn copies() {
    let backends = backends();
    for log_height in (0..12).chain([17]) {
        let tables = [2, 6].map(|width| Table::random(&mut rng(log_height.into()), width, log_height));
        compare(&format!("copies {log_height}"), &Copies(tables.to_vec()), &backends);
    }
}

/// Roots, rows and paths.
struct Trees {
    tables: Vec<Table<Goldilocks>>,
    rows_per_leaf: usize,
    hash: HashFn,
    rows: Vec<usize>,
}

impl Case for Trees {
    type P = P;

    fn run(&self, backend: &Device<P>) -> Vec<u64> {
        let tables: Vec<_> = self.tables.iter().map(|table| table.upload(backend)).collect();
        let columns: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let layout = LeafLayout::new(self.rows_per_leaf);
        let tree = backend.merkle(&columns, layout, self.hash).expect("well-formed");
        let mut results: Vec<u64> = backend.root(&tree).expect("there is one").map(u64::from).to_vec();
        let leaves: Vec<usize> = self.rows.iter().map(|row| row / self.rows_per_leaf).collect();
        let request = || OpenRequest { columns: &columns, tree: &tree, rows: &self.rows, leaves: &leaves };
        for opened in backend.open(&[request(), request()]).expect("well-formed") {
            results.extend(opened.rows.iter().flatten().map(|value| value.value()));
            results.extend(opened.paths.iter().flatten().flatten().map(|byte| u64::from(*byte)));
        }
        results
    }
}

#[test]
fn trees_and_openings() {
    let backends = backends();
    for seed in 0..40 {
        let mut rng = rng(seed);
        let rows_per_leaf = 1 << (seed % 5);
        let log_height = rng.random_range(4..10);
        let tables = (0..rng.random_range(1..4)).map(|_| {
            let width = rng.random_range(0..5);
            Table::random(&mut rng, width, log_height)
        });
        let tables: Vec<_> = tables.collect();
        let rows = (0..rng.random_range(0..70)).map(|_| rng.random_range(0..1 << log_height)).collect();
        let hash = if seed % 2 == 0 { HashFn::Keccak256 } else { HashFn::Poseidon2 };
        compare(&format!("trees {seed}"), &Trees { tables, rows_per_leaf, hash, rows }, &backends);
    }
}

struct Nonce(NonceSearch);

impl Case for Nonce {
    type P = P;

    fn run(&self, backend: &Device<P>) -> Vec<u64> {
        vec![backend.grind(&self.0).expect("well-formed").expect("few bits")]
    }
}

#[test]
fn nonces() {
    let backends = backends();
    for bits in 0..12 {
        let challenge = NonceSearch { hash: HashFn::Keccak256, prefix: [bits as u8; 32], bits };
        compare(&format!("nonce of {bits} bits"), &Nonce(challenge), &backends);
    }
}
