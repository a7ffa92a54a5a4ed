//! Merkle trees, openings, grinding.

use std::ops::Range;

use gpu_hal::hash::Permutation;
use gpu_hal::{
    Columns, Digest, Domain, ErrorKind, HashFn, LOG_WINDOW, LeafLayout, NonceSearch, OpenRequest, Operation,
    StarkBackend,
};

use super::{MAX_LOG, STAIRS_LOG, small, stairs, table, wide};
use crate::failure::ensure;
use crate::{Case, Failure, Random, Suite, TestProtocol};

/// Tables, layout and hash of a tree.
struct Shape {
    /// (width, log2 height).
    tables: Vec<(usize, u32)>,
    /// The height of the highest table.
    log_height: u32,
    layout: LeafLayout,
    hash: HashFn,
}

impl Shape {
    /// A tree of about `2^log` rows. Where the protocol lifts, some have tables of several heights, below a common one.
    fn draw<P: TestProtocol>(random: &mut Random, case: &Case, log: u32, hashes: &[HashFn]) -> Self {
        let rows_per_leaf = 1 << random.between(0, 4);
        let widths: Vec<usize> =
            // Some of the others are longer than a block of the hash, so that leaves have whole blocks of lower tables
            // in common.
            (0..1 + random.below(4)).map(|i| match i {
                0 => case.width,
                _ if random.one_in(3) => 1 + random.below(40),
                _ => 1 + random.below(5),
            }).collect();
        let hash = hashes[random.below(hashes.len())];
        if P::Domain::LIFTS && log > 0 && random.one_in(2) {
            let mut tables: Vec<_> = widths.into_iter().map(|width| (width, random.between(1, log))).collect();
            tables.sort_by_key(|(_, log)| *log);
            let log_height = tables.last().map_or(0, |(_, log)| *log);
            let layout = match random.one_in(3) {
                true => LeafLayout::new(1),
                false => LeafLayout::lifted(log_height + random.between(0, 2)),
            };
            return Self { tables, log_height, layout, hash };
        }
        let log_height = log.max(u32::ilog2(rows_per_leaf));
        Self {
            tables: widths.into_iter().map(|width| (width, log_height)).collect(),
            log_height,
            layout: LeafLayout::new(rows_per_leaf as usize),
            hash,
        }
    }

    /// [`stairs`], of `over` levels above the highest.
    fn stairs(over: u32, hash: HashFn) -> Self {
        let layout = LeafLayout::lifted(STAIRS_LOG + over);
        Self { tables: stairs(), log_height: STAIRS_LOG, layout, hash }
    }

    fn log_rows(&self) -> u32 {
        self.layout.log_height.unwrap_or(self.log_height)
    }

    fn log_leaves(&self) -> u32 {
        self.log_rows() - self.layout.rows_per_leaf.ilog2()
    }
}

/// [`StarkBackend::merkle`] and [`StarkBackend::root`]: one and several tables, leaves of 1 to 16 rows, lifted
/// tables, all hash functions of the backend, leaves shorter and longer than a block of the hash; nodes that large
/// trees have otherwise than small ones; the root tells any two tables apart.
pub fn merkle<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Merkle) || !suite.has(Operation::Root) {
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        let layout = LeafLayout::new(1);
        return suite.refuses(Operation::Merkle, suite.backend().merkle(&[one.as_ref()], layout, HashFn::Keccak256));
    }
    let hashes = suite.backend().capabilities().hashes.clone();
    assert!(!hashes.is_empty(), "'{}' lists merkle but no hash function", suite.name());
    suite.check(0..=MAX_LOG, 1..=40, Operation::Merkle, |case| {
        let random = &mut case.random();
        // Every hash in every case: the corner cases must meet all of them.
        for hash in &hashes {
            let (is_wide, is_slow) = (case.width > 1, is_slow(*hash));
            let shape = if case.log == MAX_LOG && P::Domain::LIFTS && (is_wide || !is_slow) {
                Shape::stairs(u32::from(is_wide), *hash)
            } else {
                let log = if is_slow { case.log.min(LOG_SLOW) } else { case.log };
                Shape::draw::<P>(random, &case, log, &[*hash])
            };
            let (tree, root) = {
                let mut tables = Vec::new();
                for (width, log) in &shape.tables {
                    tables.push(table(&suite.dual, random, *width, *log)?);
                }
                let tables: Vec<_> = tables.iter().map(Columns::as_ref).collect();
                let tree = suite.dual.merkle(&tables, shape.layout, *hash)?;
                let root = suite.dual.root(&tree)?;
                (tree, root)
            };
            // The tree is the backend's own: it outlives the tables.
            ensure(suite.dual.root(&tree)? == root, || "the root changed when the tables were dropped".into())?;
        }
        Ok(())
    });
    wide::trees(suite, &hashes);
}

fn check_paths(opened: &gpu_hal::Opened<impl Copy>, leaves: usize, log_leaves: u32) -> Result<(), Failure> {
    ensure(opened.paths.len() == leaves, || format!("{} paths for {leaves} leaves", opened.paths.len()))?;
    ensure(opened.paths.iter().all(|path| path.len() == log_leaves as usize), || "a path of another length".into())
}

/// [`StarkBackend::open`]: rows and paths of several trees at once, in any order, with repeats, and none.
pub fn open<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Open) {
        if !suite.has(Operation::Merkle) {
            return suite.refuses(Operation::Open, suite.backend().open(&[]));
        }
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        let hash = suite.backend().capabilities().hashes[0];
        let columns = [one.as_ref()];
        let tree = suite.backend().merkle(&columns, LeafLayout::new(1), hash).expect("a small tree");
        let request = OpenRequest { columns: &columns, tree: &tree, rows: &[0], leaves: &[0] };
        return suite.refuses(Operation::Open, suite.backend().open(&[request]));
    }
    let hashes = suite.backend().capabilities().hashes.clone();
    suite.check(0..=MAX_LOG, 1..=9, Operation::Open, |case| {
        let random = &mut case.random();
        let mut owned = Vec::new();
        for index in 0..1 + random.below(3) {
            // Trees of one request list have different heights, like trees of FRI layers.
            let log = if index > 0 { random.between(0, case.log) } else { case.log };
            let shape = match log {
                MAX_LOG if P::Domain::LIFTS => Shape::stairs(index as u32, hashes[0]),
                _ => Shape::draw::<P>(random, &case, log, &hashes),
            };
            let mut tables = Vec::new();
            for (width, log) in &shape.tables {
                tables.push(table(&suite.dual, random, *width, *log)?);
            }
            let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
            let tree = suite.dual.merkle(&columns, shape.layout, shape.hash)?;
            let mut draw = |log: u32, most: usize| -> Vec<usize> {
                let mut picks: Vec<usize> = (0..random.below(most)).map(|_| random.below(1 << log)).collect();
                picks.extend(picks.first().copied());
                picks
            };
            let (rows, mut leaves) = (draw(shape.log_rows(), 6), draw(shape.log_leaves(), 6));
            // All leaves of a small subtree: a backend may keep no digest of its lowest levels.
            let first = random.below(1 << shape.log_leaves()) & !7;
            leaves.extend(first..(first + 8).min(1 << shape.log_leaves()));
            owned.push((shape, tables, tree, rows, leaves));
        }
        let columns: Vec<Vec<_>> =
            owned.iter().map(|(_, tables, ..)| tables.iter().map(Columns::as_ref).collect()).collect();
        let requests: Vec<OpenRequest<'_, _>> = owned
            .iter()
            .zip(&columns)
            .map(|((_, _, tree, rows, leaves), columns)| OpenRequest { columns, tree, rows, leaves })
            .collect();
        let opened = suite.dual.open(&requests)?;
        ensure(opened.len() == requests.len(), || format!("{} answers to {} requests", opened.len(), requests.len()))?;
        for ((shape, tables, _, rows, leaves), opened) in owned.iter().zip(&opened) {
            check_paths(opened, leaves.len(), shape.log_leaves())?;
            ensure(opened.rows.len() == rows.len(), || format!("{} of {} rows", opened.rows.len(), rows.len()))?;
            for (row, opened) in rows.iter().zip(&opened.rows) {
                let mut expected = Vec::new();
                for table in tables {
                    let row = P::Domain::lift_index(*row, shape.log_rows(), table.log_height);
                    expected.extend(suite.dual.download(table.as_ref(), row..row + 1)?);
                }
                ensure(*opened == expected, || format!("row {row} opened as another"))?;
            }
        }
        Ok(())
    });
    if suite.single().is_none() {
        wrong_tables(suite.backend());
    }
}

/// Tables that a tree was not built over: an answer or [`ErrorKind::InvalidArgument`], and the right ones are opened
/// afterwards.
fn wrong_tables<B: StarkBackend>(backend: &B) {
    let hash = backend.capabilities().hashes[0];
    let right = small(backend, 3, MAX_LOG).expect("memory");
    let tree = backend.merkle(&[right.as_ref()], LeafLayout::new(2), hash).expect("memory");
    let open = |tables: &[Columns<&B::Buffer>]| {
        let request =
            OpenRequest { columns: tables, tree: &tree, rows: &[], leaves: &[0, 77, (1 << (MAX_LOG - 1)) - 1] };
        backend.open(&[request])
    };
    let expected = open(&[right.as_ref()]).expect("the tables of the tree");
    let wrong =
        [(3, 2), (3, MAX_LOG + 1), (2, MAX_LOG)].map(|(width, log)| small(backend, width, log).expect("memory"));
    for table in &wrong {
        match open(&[table.as_ref()]) {
            Err(error) if error.kind == ErrorKind::InvalidArgument => {}
            Err(error) => panic!("tables of another tree: '{error}', which is no invalid argument"),
            Ok(opened) => assert_eq!(opened[0].paths.len(), 3),
        }
    }
    if let Err(error) = open(&[]) {
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "{error}");
    }
    assert_eq!(open(&[right.as_ref()]).expect("the tables of the tree"), expected);
}

fn digest(random: &mut Random) -> Digest {
    let mut digest = [0; 32];
    digest.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&random.word().to_le_bytes()));
    digest
}

/// [`StarkBackend::grind`]: the same first nonce as the reference, from no difficulty to thousands of tries, by every
/// hash function of the backend that has a proof of work.
pub fn grind<P: TestProtocol>(suite: &Suite<P>) {
    let hashes = suite.backend().capabilities().hashes.iter().copied().filter(|hash| hash.has_work());
    let hashes: Vec<HashFn> = hashes.collect();
    if !suite.has(Operation::Grind) {
        let hash = hashes.first().copied().unwrap_or(HashFn::Keccak256);
        let easy = NonceSearch { hash, prefix: [0; 32], bits: 0 };
        return suite.refuses(Operation::Grind, suite.backend().grind(&easy));
    }
    assert!(!hashes.is_empty(), "'{}' lists grind but no hash function with a proof of work", suite.name());
    hashes.into_iter().for_each(|hash| searches(suite, hash));
}

/// A permutation of Hades takes as long as a hundred compressions, on an emulated device most of all.
pub(crate) fn is_slow(hash: HashFn) -> bool {
    hash.permutation() == Permutation::Hades
}

/// Log2 of the rows that are enough for trees of a slow hash in most cases.
pub(crate) const LOG_SLOW: u32 = 7;

fn searches<P: TestProtocol>(suite: &Suite<P>, hash: HashFn) {
    let is_slow = is_slow(hash);
    let finds = |case: Case| {
        let prefix = digest(&mut case.random());
        let nonce = suite.dual.grind(&NonceSearch { hash, prefix, bits: case.log })?;
        ensure(nonce.is_some(), || format!("{hash}: no nonce of {} bits", case.log))
    };
    if is_slow && suite.single().is_none() {
        for log in [0, 4, 9] {
            finds(Case { log, width: 1, seed: u64::from(log) })
                .unwrap_or_else(|failure| panic!("{} of '{}': {failure}", Operation::Grind, suite.name()));
        }
    } else {
        suite.check(0..=if is_slow { 9 } else { 14 }, 1..=1, Operation::Grind, finds);
    }
    let all = hash.nonces().windows();
    if suite.single().is_some() {
        // The cases after this one are the same in every run.
        return suite.check(0..=6, 1..=1, Operation::Grind, |case| {
            let random = &mut case.random();
            let (prefix, first) = (digest(random), random.word() % all);
            let windows = first..first.saturating_add(random.below(3) as u64).min(all);
            let nonce = suite.dual.grind_within(&NonceSearch { hash, prefix, bits: case.log }, windows.clone())?;
            ensure(nonce.is_none() == windows.is_empty(), || format!("{hash} in windows {windows:?}: {nonce:?}"))
        });
    }
    // Windows: the first, some that start late, the last that there are, and none; of a nonce in three tries, in 2^8,
    // and in more than a window has.
    suite.check(1..=1, 1..=1, Operation::Grind, |_| {
        let within = |bits, windows: Range<u64>| {
            let search = NonceSearch { hash, prefix: [bits as u8; 32], bits };
            let nonce = suite.dual.grind_within(&search, windows.clone())?;
            let is_none = windows.is_empty() || bits > LOG_WINDOW;
            ensure(nonce.is_none() == is_none, || format!("{hash}, {bits} bits in windows {windows:?}: {nonce:?}"))
        };
        for windows in [0..1, 1..2, 300..303, all - 1..all, 7..7] {
            within(2, windows.clone())?;
            if !is_slow || windows.end - windows.start > 1 {
                within(8, windows)?;
            }
        }
        // Whether a whole window has none is the same code for every hash.
        if is_slow { Ok(()) } else { within(50, 8..9) }
    });
}
