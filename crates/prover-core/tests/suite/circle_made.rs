//! Main columns that a trace maker makes, in either order, and preprocessed columns that provers share: the proofs
//! equal the proof of the uploaded trace. And the statement's demands on the transcript.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use circle_air::airs::ShippedAir;
use circle_air::{ConfigError, Mix, Mixes, PreprocessedColumn, RecordedStatement};
use circle_proof::{CircleOptions, Committed, Policy, VerifyError, encode, verify};
use field::{M31, QM31};
use golden::backends::{cpu, reference};
use golden::circle::{air, options};
use golden::statements::Changed;
use gpu_hal::erased::Device;
use gpu_hal::{CircleStark, Columns, EvalOrder, StarkBackend};
use prover_core::circle::{CircleProof, Keep, PreprocessedTrace, ProveError, Prover, Sources, TraceMaker};
use prover_core::{ModeOn, Silent};

type Reference = Device<CircleStark>;
/// By component and column.
pub(crate) type Trace = Vec<Vec<Vec<M31>>>;

/// Lookups; a column that is read in the next row; components and preprocessed columns of several heights.
fn examples() -> [Arc<dyn ShippedAir>; 3] {
    [air("plonk", 5, "v0=3;v1=4"), air("range-squares", 5, "table=3;s=2"), air("poseidon2", 4, "s=7")]
}

/// Columns that are there.
pub(crate) struct Given(pub(crate) Trace);

impl TraceMaker for Given {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        let upload = |table: &Vec<Vec<M31>>| {
            let log_height = table.first().map_or(0, |column| column.len().ilog2());
            mode.upload(backend, Columns::new((), table.len(), log_height), || Ok(table.concat().into()))
        };
        self.0.iter().map(upload).collect()
    }
}

/// As [`Given`], with a shape; counts how often it is asked for tables.
struct Counted(Given, AtomicUsize);

impl TraceMaker for Counted {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.make(mode, backend)
    }

    fn shape(&self) -> Option<Vec<u64>> {
        Some(self.0.0.iter().map(|table| table[0].len() as u64).collect())
    }
}

/// As [`Given`], with sources; counts how often a table is made of them.
struct Kept(Given, AtomicUsize);

impl TraceMaker for Kept {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        mode: S,
        backend: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        self.0.make(mode, backend)
    }

    fn sources<'m, B: StarkBackend<P = CircleStark>, S: ModeOn<B> + 'm>(
        &'m self,
        mode: S,
        backend: &'m B,
    ) -> Result<Option<Box<dyn Sources<B> + 'm>>, ProveError> {
        Ok(Some(Box::new(Copies { tables: self.0.make(mode, backend)?, backend, asked: &self.1 })))
    }
}

struct Copies<'m, B: StarkBackend> {
    tables: Vec<Columns<B::Buffer>>,
    backend: &'m B,
    asked: &'m AtomicUsize,
}

impl<B: StarkBackend<P = CircleStark>> Sources<B> for Copies<'_, B> {
    fn table(&self, component: usize) -> Result<Columns<B::Buffer>, ProveError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let table = &self.tables[component];
        let picks: Vec<_> = (0..table.width).map(|column| (0, column)).collect();
        Ok(self.backend.select(&[table.as_ref()], &picks)?)
    }
}

/// There is no trace.
struct Failing;

impl TraceMaker for Failing {
    fn make<B: StarkBackend<P = CircleStark>, S: ModeOn<B>>(
        &self,
        _: S,
        _: &B,
    ) -> Result<Vec<Columns<B::Buffer>>, ProveError> {
        Err(ProveError::Trace("no such run".into()))
    }
}

fn in_order(air: &Arc<dyn ShippedAir>, order: EvalOrder) -> Changed {
    Changed::new(air.clone()).in_order(order)
}

fn uploaded(air: &Arc<dyn ShippedAir>) -> CircleProof {
    let prover = Prover::new(Arc::new(reference::<CircleStark>()), air.clone(), &options()).expect("provable");
    prover.prove(&air.trace(), &Silent).expect("an honest trace")
}

fn is_same(one: &CircleProof, other: &CircleProof, name: &str) {
    assert!(encode(&one.proof) == encode(&other.proof), "{name}");
    assert_eq!(one.claimed_sums, other.claimed_sums, "{name}");
}

type Shared = Option<Arc<PreprocessedTrace<Reference>>>;

fn with_maker<M: TraceMaker>(
    backend: &Arc<Reference>,
    statement: Changed,
    maker: M,
    options: &CircleOptions,
    shared: Shared,
) -> Result<Prover<Reference, M>, ProveError> {
    Prover::with_maker(backend.clone(), Arc::new(statement), options, maker, shared)
}

#[test]
fn both_orders_give_the_proof_of_the_uploaded_trace() {
    for air in examples() {
        let expected = uploaded(&air);
        for order in [EvalOrder::Row, EvalOrder::Storage] {
            let backend = Arc::new(reference::<CircleStark>());
            let statement = in_order(&air, order);
            let prover = Prover::new(backend.clone(), Arc::new(in_order(&air, order)), &options()).expect("provable");
            is_same(&prover.prove(&statement.trace(), &Silent).expect("an honest trace"), &expected, air.name());

            let maker = Given(statement.trace());
            let prover = with_maker(&backend, statement, maker, &options(), None).expect("provable");
            let made = prover.prove_made(&Silent).expect("an honest trace");
            is_same(&made, &expected, air.name());
            // The verifier computes the preprocessed columns from the values in that order.
            let bytes = encode(&made.proof);
            let verdict = verify(&in_order(&air, order), &made.claimed_sums, &bytes, &Policy::ANY);
            assert!(verdict.is_ok(), "{}: {verdict:?}", air.name());
        }
    }
}

/// Without sources prefixes are kept; with them all columns are made again, in either order, of the memory that is
/// planned.
#[test]
fn columns_are_made_again_from_the_sources_of_a_maker() {
    for air in examples() {
        let expected = uploaded(&air);
        for order in [EvalOrder::Row, EvalOrder::Storage] {
            let statement = || in_order(&air, order);
            let maker = || Given(statement().trace());
            let backend = Arc::new(reference::<CircleStark>());
            let prover = with_maker(&backend, statement(), maker(), &options(), None).expect("provable");
            let prover = prover.keeping(Keep::Prefixes).expect("a plan");
            let of_prefixes = prover.plan().remade;
            let prover = prover.keeping(Keep::Sources).expect("a plan");
            assert_eq!(prover.plan().remade, of_prefixes, "{}", air.name());
            is_same(&prover.prove_made(&Silent).expect("an honest trace"), &expected, air.name());

            let backend = Arc::new(reference::<CircleStark>());
            let kept = Kept(maker(), AtomicUsize::new(0));
            let prover = with_maker(&backend, statement(), kept, &options(), None).expect("provable");
            let prover = prover.keeping(Keep::Sources).expect("a plan");
            assert!(prover.plan().remade.rows > of_prefixes.rows, "{}", air.name());
            // The rehearsal asks, too.
            let rehearsed = prover.maker().1.swap(0, Ordering::Relaxed);
            is_same(&prover.prove_made(&Silent).expect("an honest trace"), &expected, air.name());
            let asked = prover.maker().1.load(Ordering::Relaxed);
            // For the commitment, the values out of the domain, the composition, the quotient and the openings.
            assert!(asked == rehearsed && asked >= 5 * prover.recorded().components.len(), "{}: {asked}", air.name());
            let planned = prover.plan().peak_bytes.max(prover.plan().preparation_bytes);
            assert_eq!(backend.memory().expect("counted").peak, planned, "{}", air.name());
        }
    }
}

#[test]
fn provers_share_preprocessed_columns() {
    let backend = Arc::new(reference::<CircleStark>());
    let statement = |air: &Arc<dyn ShippedAir>| in_order(air, EvalOrder::Storage);
    // The same columns, another statement.
    let (first, second) = (air("plonk", 5, "v0=3;v1=4"), air("plonk", 5, "v0=9;v1=2"));
    let maker = |air: &Arc<dyn ShippedAir>| Given(statement(air).trace());
    let one = with_maker(&backend, statement(&first), maker(&first), &options(), None).expect("provable");
    let shared = one.preprocessed().clone();
    let other =
        with_maker(&backend, statement(&second), maker(&second), &options(), Some(shared.clone())).expect("provable");
    assert!(Arc::ptr_eq(other.preprocessed(), &shared));
    assert_eq!(other.plan(), one.plan());
    is_same(&one.prove_made(&Silent).expect("an honest trace"), &uploaded(&first), "first");
    is_same(&other.prove_made(&Silent).expect("an honest trace"), &uploaded(&second), "second");

    let refused = |backend: &Arc<Reference>, air: &Arc<dyn ShippedAir>, options: &CircleOptions| {
        let made = with_maker(backend, statement(air), maker(air), options, Some(shared.clone()));
        assert!(matches!(made.err(), Some(ProveError::ForeignPreprocessed { .. })));
    };
    refused(&backend, &air("plonk", 4, ""), &options());
    refused(&backend, &air("poseidon2", 5, ""), &options());
    refused(&backend, &first, &CircleOptions { log_blowup: options().log_blowup + 1, ..options() });
    refused(&Arc::new(reference::<CircleStark>()), &first, &options());
    // A prover without a maker keeps only what its statement reads.
    let own = Prover::new(backend.clone(), Arc::new(statement(&first)), &options()).expect("provable");
    let own = Some(own.preprocessed().clone());
    let kept = with_maker(&backend, statement(&second), maker(&second), &options(), own);
    assert!(matches!(kept.err(), None | Some(ProveError::ForeignPreprocessed { .. })));
}

#[test]
fn a_shape_is_rehearsed_once() {
    let backend = Arc::new(reference::<CircleStark>());
    let airs = [air("plonk", 5, "v0=3;v1=4"), air("plonk", 5, "v0=9;v1=2")];
    let prover = |air: &Arc<dyn ShippedAir>, options: &CircleOptions, shared| {
        let statement = in_order(air, EvalOrder::Row);
        let maker = Counted(Given(statement.trace()), AtomicUsize::new(0));
        with_maker(&backend, statement, maker, options, shared).expect("provable")
    };
    let asked = |prover: &Prover<Reference, Counted>| prover.maker().1.load(Ordering::Relaxed);
    let first = prover(&airs[0], &options(), None);
    let shared = Some(first.preprocessed().clone());
    assert_eq!(asked(&first), 1);
    // Other values of the same shape.
    let second = prover(&airs[1], &options(), shared.clone());
    assert_eq!((asked(&second), second.plan()), (0, first.plan()));
    is_same(&second.prove_made(&Silent).expect("an honest trace"), &uploaded(&airs[1]), "the second");
    assert_eq!(asked(&second), 1);
    // Other options are another plan.
    let other = prover(&airs[1], &CircleOptions { queries: options().queries + 9, ..options() }, shared);
    assert_eq!(asked(&other), 1);
    let made = other.prove_made(&Silent).expect("an honest trace");
    assert_eq!(made.proof.config.queries, options().queries + 9);
}

/// Statements that share preprocessed columns and differ in the columns that are sampled.
#[test]
fn samples_are_no_part_of_the_shared_columns() {
    let backend = Arc::new(reference::<CircleStark>());
    let air = air("plonk", 5, "v0=3;v1=4");
    let statement = |log_rows, samples_all| {
        let unread = (PreprocessedColumn::new("unread", log_rows), vec![M31::new(7); 1 << log_rows]);
        Changed::new(air.clone()).with_unread(vec![unread]).sampling_all(samples_all)
    };
    let mut shared = None;
    // Each is the first of its kind, and then known.
    for (round, samples_all) in [(0, false), (0, true), (1, false), (1, true)] {
        let maker = Counted(Given(air.trace()), AtomicUsize::new(0));
        let prover = with_maker(&backend, statement(3, samples_all), maker, &options(), shared.take());
        let prover = prover.expect("provable");
        assert_eq!(prover.maker().1.load(Ordering::Relaxed), 1 - round);
        let made = prover.prove_made(&Silent).expect("an honest trace");
        let samples: Vec<usize> = made.proof.sampled_values[0].iter().map(Vec::len).collect();
        assert_eq!(samples, [1, 1, 1, 1, usize::from(samples_all)]);
        let verdict = verify(&statement(3, samples_all), &made.claimed_sums, &encode(&made.proof), &Policy::ANY);
        assert!(verdict.is_ok(), "{verdict:?}");
        shared = Some(prover.preprocessed().clone());
    }
    // A column that is not sampled may be higher than the domain, as far as a prover knows.
    let higher = |samples_all| Prover::new(backend.clone(), Arc::new(statement(6, samples_all)), &options()).err();
    assert!(higher(false).is_none());
    let error = higher(true).expect("too high");
    assert!(matches!(error, ProveError::Config(ConfigError::SampledTooHigh { log_size: 7, common: 6, .. })), "{error}");
    assert!(error.to_string().contains("set lifting_log_size to 7"), "{error}");
}

/// A prover takes of a backend exactly its plan.
fn planned_is_measured<B: StarkBackend<P = CircleStark>>(make: impl Fn() -> B) {
    for (air, order) in examples().iter().flat_map(|air| [(air, EvalOrder::Row), (air, EvalOrder::Storage)]) {
        let backend = Arc::new(make());
        let prover = |shared| {
            let statement = in_order(air, order);
            let maker = Given(statement.trace());
            Prover::with_maker(backend.clone(), Arc::new(statement), &options(), maker, shared).expect("provable")
        };
        let measured = || backend.memory().expect("counted");
        let one = prover(None);
        let plan = one.plan().clone();
        assert_eq!(measured().in_use, plan.kept_bytes, "{}: kept", air.name());
        assert_eq!(measured().peak, plan.preparation_bytes, "{}: preprocessed columns", air.name());
        one.prove_made(&Silent).expect("an honest trace");
        let peak = plan.peak_bytes.max(plan.preparation_bytes);
        assert_eq!(measured().peak, peak, "{} in {order:?}: {plan}", air.name());
        assert_eq!(measured().in_use, plan.kept_bytes, "{}: kept after a proof", air.name());
        // Beside it, a second takes what its components read for itself, and no other tree.
        let other = prover(Some(one.preprocessed().clone()));
        assert_eq!(other.plan(), &plan);
        assert!(measured().in_use < 2 * plan.kept_bytes, "{}: kept by two", air.name());
        drop(one);
        assert_eq!(measured().in_use, plan.kept_bytes, "{}: kept by the second", air.name());
        other.prove_made(&Silent).expect("an honest trace");
        drop(other);
        assert_eq!(measured().in_use, 0, "{}", air.name());
    }
}

#[test]
fn the_plan_is_what_a_proof_takes() {
    planned_is_measured(reference::<CircleStark>);
    planned_is_measured(cpu::<CircleStark>);
}

#[test]
fn what_a_maker_gets_wrong() {
    let backend = Arc::new(reference::<CircleStark>());
    let air = air("range-squares", 5, "table=3;s=2");
    let refused = |change: fn(&mut Trace)| {
        let mut trace = air.trace();
        change(&mut trace);
        let statement = in_order(&air, EvalOrder::Row);
        // A rehearsal knows the shapes, so there is not even a prover.
        with_maker(&backend, statement, Given(trace), &options(), None).err().expect("refused")
    };
    let error = refused(|trace| drop(trace.pop()));
    assert!(matches!(error, ProveError::TraceCount { given: 1, expected: 2 }), "{error}");
    let error = refused(|trace| drop(trace[0].pop()));
    assert!(matches!(error, ProveError::TraceShape { component: 0, columns: 5, rows: 32, .. }), "{error}");
    let error = refused(|trace| trace[1].iter_mut().for_each(|column| column.truncate(4)));
    assert!(matches!(error, ProveError::TraceShape { component: 1, columns: 1, rows: 4, .. }), "{error}");
    let error = with_maker(&backend, in_order(&air, EvalOrder::Row), Failing, &options(), None).err().unwrap();
    assert!(matches!(error, ProveError::Trace(_)), "{error}");
    assert!(error.to_string().contains("no such run"), "{error}");
}

#[test]
fn what_a_statement_mixes_and_the_work_that_it_asks_for() {
    let air = air("plonk", 5, "v0=3;v1=4");
    let felts = |value: u32| Mix::Felts(vec![QM31([value, 1, 2, 3].map(M31::new))]);
    let mixes = Mixes {
        before_config: vec![felts(5)],
        before_preprocessed: vec![Mix::Words(vec![1, 2, 3])],
        before_main: vec![Mix::Leaf(vec![M31::new(7); 8]), felts(6)],
    };
    let changed = |mixes, work| Changed::new(air.clone()).with_mixes(mixes).with_work(work);
    let prove = |mixes: &Mixes, work| {
        let statement = changed(mixes.clone(), work);
        let prover =
            Prover::new(Arc::new(reference::<CircleStark>()), Arc::new(statement), &options()).expect("provable");
        prover.prove(&air.trace(), &Silent).expect("an honest trace")
    };
    let made = prove(&mixes, 6);
    let roots = &made.proof.commitments;
    let nonce = made.interaction_nonce.expect("the statement asks for work");
    let committed = |mixes: &Mixes| Committed::begin(&options(), mixes, roots[0], roots[1]);
    assert!(committed(&mixes).is_valid_nonce(6, nonce));
    assert!((0..nonce).all(|earlier| !committed(&mixes).is_valid_nonce(6, earlier)), "the first nonce is taken");
    // The sums belong to the elements that are drawn after all of that.
    let (_, drawn) = committed(&mixes).draw(Some(nonce), 2);
    assert_eq!(air.check_claimed_sums(&drawn, &made.claimed_sums), Ok(()));
    // Each of the three places counts.
    for change in 0..3 {
        let mut other = mixes.clone();
        [&mut other.before_config, &mut other.before_preprocessed, &mut other.before_main][change].clear();
        let (_, drawn) = committed(&other).draw(Some(nonce), 2);
        assert!(air.check_claimed_sums(&drawn, &made.claimed_sums).is_err(), "{change}");
    }
    // Without work there is no nonce, and other elements.
    let without = prove(&mixes, 0);
    assert_eq!(without.interaction_nonce, None);
    assert_ne!(without.claimed_sums, made.claimed_sums);
    let (_, drawn) = committed(&mixes).draw(None, 2);
    assert_eq!(air.check_claimed_sums(&drawn, &without.claimed_sums), Ok(()));
    // The nonce is no part of the bytes, so nobody can verify them alone.
    let verdict = verify(&changed(mixes, 6), &made.claimed_sums, &encode(&made.proof), &Policy::ANY);
    assert!(matches!(verdict, Err(VerifyError::InteractionWork { bits: 6 })), "{verdict:?}");
}

#[test]
fn a_statement_that_says_nothing_mixes_its_words() {
    let air = air("plonk", 5, "v0=3;v1=4");
    assert_eq!(air.mixes(), Mixes::words(air.words()));
    assert_eq!(air.interaction_pow_bits(), 0);
    let recorded = RecordedStatement::new(&*air, None).expect("a sound statement");
    assert_eq!(recorded.components.len(), 1);
    assert_eq!(uploaded(&air).interaction_nonce, None);
}
