//! Provers that leave a mask out: a distinguisher, which knows two possible witnesses, tells from the proof which one
//! it was. With all masks it cannot. No verifier can see the difference.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use air::{Air, AirBuilder, Layout, Rows, Scan, Trace, record};
use field::{Field, Fp3, Goldilocks, PrimeField, TwoAdicField, batch_inverse, powers};
use golden::backends::cpu_of;
use goldilocks_proof::Hiding;
use goldilocks_proof::compact::opening::{positions, siblings};
use goldilocks_proof::compact::{AirDigest, Options, Proof, Suite};
use goldilocks_verifier::{Policy, compact};
use gpu_hal::decorate::{Call, Hook, Hooked};
use gpu_hal::erased::Device;
use gpu_hal::op::Outcome;
use gpu_hal::{Columns, Digest, GoldilocksStark, HashFn, Operation, Result, StarkBackend};
use prover_core::Observer;
use prover_core::goldilocks::{MaskSeed, Prover};

type P = GoldilocksStark;

const LOG_ROWS: u32 = 6;
const N: usize = 1 << LOG_ROWS;

/// Each row is three times the one before. Nothing says where it begins: that is the witness. With `product`, an
/// auxiliary column is the running product of `a + gamma`.
#[derive(Clone, Debug)]
struct Tripled {
    free: usize,
    product: bool,
}

impl Air<P> for Tripled {
    fn name(&self) -> &str {
        "tripled"
    }

    fn log_trace_length(&self) -> u32 {
        LOG_ROWS
    }

    fn layout(&self) -> Layout {
        let aux = usize::from(self.product);
        Layout { main_columns: 1, aux_columns: aux, frame_rows: 2, challenges: aux, composition_parts: 1 + aux }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let (a, rows) = (|row| builder.main(0, row), Rows::all().except_last(1 + self.free));
        builder.transition(a(1) - a(0) * 3, rows);
        if self.product {
            let z = builder.running_product(a(0) + builder.challenge(0), builder.number(1), Scan::Exclusive);
            let step = builder.aux(0, 0) * (a(0) + builder.challenge(0));
            builder.transition(builder.aux(0, 1) - step, rows);
            builder.boundary(z, 0, Goldilocks::ONE);
        }
    }
}

impl Tripled {
    /// Just as many free rows as the options need.
    fn new(options: &Options, product: bool) -> Self {
        let sizes = compact::sizes(&Self { free: 1, product }.layout(), LOG_ROWS);
        Self { free: options.masked_rows(&sizes) as usize, product }
    }

    /// The column that begins with a number; zero in free rows.
    fn column(&self, first: u64) -> Vec<Goldilocks> {
        let three = powers(Goldilocks::new(3)).map(|power| power * Goldilocks::new(first));
        three.take(N - self.free).chain(std::iter::repeat(Goldilocks::ZERO)).take(N).collect()
    }
}

/// The masks, by the number of their call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mask {
    Main,
    MainSalts,
    Aux,
    Word,
}

/// Zeros instead of a mask.
struct LeavesOut {
    call: Option<usize>,
    /// The first row of it.
    from: usize,
    calls: AtomicUsize,
}

impl<B: StarkBackend<P = P>> Hook<B> for LeavesOut {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        let mut result = run()?;
        if call.operation == Operation::Random && Some(self.calls.fetch_add(1, Ordering::SeqCst)) == self.call {
            let Outcome::InPlace(table) = outcome(&mut result) else { unreachable!("it is made in place") };
            let shape = Columns::new(&*table.data, table.width, table.log_height);
            let mut elements = inner.download(shape, 0..table.height())?;
            for column in elements.chunks_mut(table.height()) {
                column[self.from..].fill(Goldilocks::ZERO);
            }
            *table.data = inner.upload(&elements, table.width, table.log_height)?.data;
        }
        Ok(result)
    }
}

/// Challenges that anyone draws again from a proof.
#[derive(Default)]
struct Drawn(Mutex<Challenges>);

#[derive(Clone, Default)]
struct Challenges {
    of_air: Vec<Fp3>,
    z: Fp3,
    gamma: Fp3,
    queries: Vec<u64>,
}

impl Observer<Fp3> for Drawn {
    fn values(&self, name: &'static str, values: &[Fp3]) {
        let mut drawn = self.0.lock().expect("no panic under the lock");
        match name {
            "rap_challenges" => drawn.of_air = values.to_vec(),
            "z" => drawn.z = values[0],
            "deep_gamma" => drawn.gamma = values[0],
            _ => {}
        }
    }

    fn queries(&self, indices: &[usize]) {
        self.0.lock().expect("no panic under the lock").queries = indices.iter().map(|index| *index as u64).collect();
    }
}

/// A proof of a witness without one of the masks, which the verifier accepts.
fn prove(air: &Tripled, options: &Options, first: u64, without: Option<Mask>) -> (Proof<P>, Challenges) {
    let call = without.map(|mask| match mask {
        Mask::Main => 0,
        Mask::MainSalts => 1,
        Mask::Aux | Mask::Word => 2,
    });
    let from = if matches!(without, Some(Mask::Main | Mask::Aux)) { N - air.free } else { 0 };
    let hook = LeavesOut { call, from, calls: AtomicUsize::new(0) };
    let device = Device::new(Arc::new(Hooked::with_hook(cpu_of::<P>(1), hook)));
    let prover = Prover::new(Arc::new(device), Arc::new(air.clone())).expect("a sound AIR");
    let (trace, seed) =
        (Trace::from_columns(vec![air.column(first)]).expect("a column"), MaskSeed::from_bytes([7; 32]));
    let drawn = Drawn::default();
    let proof = prover.prove_masked(Some(&trace), options, AirDigest::OfAir, seed, &drawn).expect("an honest trace");
    let bytes = goldilocks_proof::compact::encode(&proof, options);
    let recorded = record(air).expect("a sound AIR");
    assert!(compact::verify_bytes(&recorded, options, &bytes, &Policy::ANY).is_ok(), "nobody can see it so");
    (proof, drawn.0.into_inner().expect("no panic under the lock"))
}

fn options(folds: &[u32], queries: u32) -> Options {
    let (log_last, folds) = (LOG_ROWS - folds.iter().sum::<u32>(), folds.to_vec());
    let (work, suite, hiding) = (vec![0; folds.len() + 5], Suite::Keccak256, Hiding::FreeRows);
    Options { blowup: 2, queries, coset_offset: 7, points: 1, folds, log_last, work, suite, hiding }
}

/// The value at a point of the polynomial with these values in the rows.
fn value<E: Copy + Into<Fp3>>(rows: &[E], x: Fp3) -> Fp3 {
    let g = Goldilocks::two_adic_generator(LOG_ROWS);
    let roots: Vec<Goldilocks> = powers(g).take(N).collect();
    let mut inverses: Vec<Fp3> = roots.iter().map(|root| x - Fp3::from(*root)).collect();
    batch_inverse(&mut inverses);
    let scale = (x.pow(N as u64) - Fp3::ONE) * Goldilocks::new(N as u64).inverse_or_zero();
    let terms =
        rows.iter().zip(&roots).zip(&inverses).map(|((value, root), inverse)| *inverse * *root * (*value).into());
    terms.fold(Fp3::ZERO, |sum, term| sum + term) * scale
}

/// Whether the proof is of a witness, as far as the distinguisher of a mask can see.
type Distinguisher = fn(&Tripled, &Options, &Proof<P>, &Challenges, u64) -> bool;

/// The column at z, if its free rows are zero.
fn by_rows(air: &Tripled, _: &Options, proof: &Proof<P>, drawn: &Challenges, first: u64) -> bool {
    value(&air.column(first), drawn.z) == proof.head.out_of_domain[0]
}

/// The auxiliary column at z, if its free rows are zero: the others are products of rows that are not free.
fn by_product(air: &Tripled, _: &Options, proof: &Proof<P>, drawn: &Challenges, first: u64) -> bool {
    let mut product = Fp3::ONE;
    let mut column = vec![Fp3::ZERO; N];
    for (cell, value) in column.iter_mut().zip(air.column(first)).take(N - air.free) {
        *cell = product;
        product *= drawn.of_air[0] + Fp3::from(value);
    }
    value(&column, drawn.z) == proof.head.out_of_domain[1]
}

/// All of p_0, which the last layer is where nothing is folded. Without a word it is linear in the column, so masks
/// with which it is that of the witness solve a linear system.
fn by_combination(air: &Tripled, options: &Options, proof: &Proof<P>, drawn: &Challenges, first: u64) -> bool {
    let g = Goldilocks::two_adic_generator(LOG_ROWS);
    let domain = options.lde_domain(LOG_ROWS);
    let combined = |rows: &[Goldilocks], x: Goldilocks| {
        let (point, z, gamma) = (Fp3::from(x), drawn.z, drawn.gamma);
        let composition = |x: Fp3| {
            let exempt =
                (1..=1 + air.free).fold(Fp3::ONE, |product, k| product * (x - Fp3::from(g.pow((N - k) as u64))));
            let difference = value(rows, x * g) - value(rows, x) * Goldilocks::new(3);
            difference * exempt * (x.pow(N as u64) - Fp3::ONE).inverse_or_zero()
        };
        let quotient =
            |value: &dyn Fn(Fp3) -> Fp3, at: Fp3| (value(point) - value(at)) * (point - at).inverse_or_zero();
        let column = |x: Fp3| value(rows, x);
        gamma * quotient(&column, z)
            + gamma.square() * quotient(&column, z * g)
            + gamma.pow(3) * quotient(&composition, z)
    };
    // Three equations a point: twice as many as there are masks.
    let points: Vec<Goldilocks> = domain.points_at(0..2 * air.free / 3).collect();
    let of_rows =
        |rows: &[Goldilocks]| -> Vec<Goldilocks> { points.iter().flat_map(|x| combined(rows, *x).0).collect() };
    let unit = |row: usize| (0..N).map(|at| Goldilocks::new(u64::from(at == row))).collect::<Vec<_>>();
    let claimed = points.iter().flat_map(|x| proof.head.last.iter().rev().fold(Fp3::ZERO, |sum, c| sum * *x + *c).0);
    let known = of_rows(&air.column(first));
    let mut columns: Vec<Vec<Goldilocks>> = (N - air.free..N).map(|row| of_rows(&unit(row))).collect();
    let rank_of_masks = rank(&columns);
    columns.push(claimed.zip(known).map(|(claimed, known)| claimed - known).collect());
    rank(&columns) == rank_of_masks
}

/// The rank of vectors.
fn rank(vectors: &[Vec<Goldilocks>]) -> usize {
    let (mut vectors, mut rank) = (vectors.to_vec(), 0);
    for column in 0..vectors[0].len() {
        let Some(pivot) = (rank..vectors.len()).find(|vector| !vectors[*vector][column].is_zero()) else { continue };
        vectors.swap(rank, pivot);
        let of_pivot = vectors[rank].clone();
        let inverse = of_pivot[column].inverse_or_zero();
        for vector in &mut vectors[rank + 1..] {
            let factor = vector[column] * inverse;
            vector.iter_mut().zip(&of_pivot).for_each(|(value, pivot)| *value -= factor * *pivot);
        }
        rank += 1;
    }
    rank
}

/// Whether it tells two witnesses apart that a prover had.
fn tells(distinguisher: Distinguisher, air: &Tripled, options: &Options, without: Option<Mask>) -> bool {
    let verdicts = [5, 11].map(|first| {
        let (proof, drawn) = prove(air, options, first, without);
        [5, 11].map(|guess| distinguisher(air, options, &proof, &drawn, guess))
    });
    match verdicts {
        [[true, false], [false, true]] => true,
        // As likely the one as the other.
        [[one, other], [of_other, of_one]] => {
            assert!(one == other && of_other == of_one, "{without:?}: {verdicts:?}");
            false
        }
    }
}

#[test]
fn rows_without_masks_are_told() {
    let options = options(&[1, 2], 1);
    let air = Tripled::new(&options, false);
    assert!(tells(by_rows, &air, &options, Some(Mask::Main)));
    assert!(!tells(by_rows, &air, &options, None));
}

#[test]
fn auxiliary_rows_without_masks_are_told() {
    let options = options(&[0, 3], 3);
    let air = Tripled::new(&options, true);
    assert!(tells(by_product, &air, &options, Some(Mask::Aux)));
    assert!(!tells(by_product, &air, &options, None));
}

#[test]
fn folds_without_a_random_word_are_told() {
    let options = options(&[0], 2);
    let air = Tripled::new(&options, false);
    assert!(tells(by_combination, &air, &options, Some(Mask::Word)));
    assert!(!tells(by_combination, &air, &options, None));
}

/// The digest of a leaf that is not opened, next to one that is. Whoever knows a column, such as one of two that it can
/// be, recomputes it, if the leaf has no salt. Here the column is known up to nothing: its masks are those of the seed.
#[test]
fn leaves_without_salts_are_told() {
    let options = options(&[0, 3], 3);
    let air = Tripled::new(&options, false);
    let domain = options.lde_domain(LOG_ROWS);
    let hits = |without: Option<Mask>| {
        let (proof, drawn) = prove(&air, &options, 5, without);
        let column = masked(&air, &options, 5);
        assert_eq!(value(&column, drawn.z), proof.head.out_of_domain[0], "it is the column");
        let leaves = &positions(&options, drawn.queries)[0];
        let sent = siblings(leaves, domain.log_size).into_iter().zip(&proof.openings.main.digests);
        let unopened: Vec<((u32, u64), &Digest)> = sent.filter(|((level, _), _)| *level == 0).collect();
        assert!(!unopened.is_empty());
        let digest = |leaf: u64| {
            let x = domain.points_at(std::iter::once(leaf as usize)).next().expect("a point");
            let [element, ..] = value(&column, Fp3::from(x)).0;
            HashFn::Keccak256.leaf([element, Goldilocks::ZERO, Goldilocks::ZERO])
        };
        unopened.iter().filter(|((_, leaf), sent)| digest(*leaf) == **sent).count() == unopened.len()
    };
    assert!(hits(Some(Mask::MainSalts)));
    assert!(!hits(None));
}

/// The column with the masks that the prover takes of the seed.
fn masked(air: &Tripled, options: &Options, first: u64) -> Vec<Goldilocks> {
    let recorded = record(air).expect("a sound AIR");
    let sizes = compact::sizes(&recorded.layout(), LOG_ROWS);
    let statement = goldilocks_proof::compact::statement::<P>(&recorded.digest(), &sizes, &[], options);
    let key = goldilocks_proof::compact::mask_key(&[7; 32], &statement);
    let mut column = air.column(first);
    for (row, cell) in column.iter_mut().enumerate().skip(N - air.free) {
        let block = gpu_hal::hash::random_block(&key, 0, 0, row as u64 / 8);
        let bytes = block.as_chunks::<16>().0[row % 8];
        let number = u128::from_be_bytes(bytes) % u128::from(Goldilocks::ORDER);
        *cell = Goldilocks::new(number as u64);
    }
    column
}
