//! Proofs that hide their witness: the same everywhere for a seed, others for another one, refused without enough rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::record;
use golden::backends::{cpu_of, reference};
use goldilocks_proof::compact::{AirDigest, Options, Proof, Sizes, Suite, encode};
use goldilocks_proof::{Hiding, OptionsError, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, compact};
use gpu_hal::{GoldilocksStark, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::{MaskSeed, ProveError, Prover};

type P = GoldilocksStark;

const LOG_ROWS: u32 = 8;

/// An example AIR of 256 rows of which so many are free, with parameters of its own.
fn example(name: &str, free: u64, own: &[(&str, u64)]) -> Arc<dyn ExampleAir<P>> {
    let all = own.iter().copied().chain([("free", free)]).map(|(name, value)| (name.to_owned(), value));
    airs::build::<P>(name, 1 << LOG_ROWS, &all.collect()).expect("an example")
}

/// Options that hide, of three queries.
fn options(points: u32, folds: &[u32], blowup: u32) -> Options {
    let log_last = LOG_ROWS - folds.iter().sum::<u32>();
    let mut work = vec![0; folds.len() + 5];
    work[folds.len() + 4] = 3;
    let (folds, suite, hiding) = (folds.to_vec(), Suite::Keccak256, Hiding::FreeRows);
    Options { blowup, queries: 3, coset_offset: 7, points, folds, log_last, work, suite, hiding }
}

fn sizes(air: &Arc<dyn ExampleAir<P>>) -> Sizes {
    compact::sizes(&air.layout(), LOG_ROWS)
}

/// Name and parameters of an AIR, and options.
type Case<'a> = (&'a str, &'a [(&'a str, u64)], Options);

/// A statement, with just as many free rows as its options need.
fn cases() -> Vec<(Arc<dyn ExampleAir<P>>, Options)> {
    let wide = [("width", 5), ("degree", 2)];
    let list: [Case<'_>; 5] = [
        ("fibonacci-rap", &[("steps", 40)], options(1, &[1, 3], 4)),
        ("fibonacci-rap", &[("steps", 60)], options(2, &[0, 4, 2], 2)),
        ("quadratic", &[], options(2, &[2, 2, 2], 2)),
        ("simple-fibonacci", &[], options(1, &[3, 1], 8)),
        ("wide", &wide, options(2, &[0, 3], 2)),
    ];
    let of_budget = |(name, own, options): Case<'_>| {
        let free = options.masked_rows(&sizes(&example(name, 1, own)));
        (example(name, free as u64, own), options)
    };
    list.into_iter().map(of_budget).collect()
}

fn prove<B: StarkBackend<P = P>>(
    backend: &Arc<B>,
    air: &Arc<dyn ExampleAir<P>>,
    options: &Options,
    seed: u8,
    generated: bool,
) -> Result<Proof<P>, ProveError> {
    let prover = Prover::new(backend.clone(), air.clone())?;
    let (trace, masks) = ((!generated).then(|| air.trace()), MaskSeed::from_bytes([seed; 32]));
    prover.prove_masked(trace.as_ref(), options, AirDigest::OfAir, masks, &Silent)
}

#[test]
fn a_seed_gives_one_proof_on_every_backend() {
    let (reference, cpu) = (Arc::new(reference::<P>()), Arc::new(cpu_of::<P>(2)));
    for (air, options) in cases() {
        let recorded = record(&*air).expect("a sound AIR");
        let proof = prove(&cpu, &air, &options, 1, false).expect("an honest trace");
        assert!(proof == prove(&reference, &air, &options, 1, false).expect("as on the other"), "{}", air.name());
        if air.trace_program().is_some() {
            assert!(proof == prove(&cpu, &air, &options, 1, true).expect("the same trace"), "{}", air.name());
        }
        let other = prove(&cpu, &air, &options, 2, false).expect("an honest trace");
        assert_ne!(proof.head.main_root, other.head.main_root);
        for proof in [&proof, &other] {
            let bytes = encode(proof, &options);
            let verdict = compact::verify_bytes(&recorded, &options, &bytes, &Policy::ANY);
            assert_eq!(verdict.map(|verified| verified.queries), Ok(3), "{}", air.name());
        }
    }
}

#[test]
fn a_seed_of_the_system_is_another_each_time() {
    let (air, options) = cases().remove(0);
    let prover = Prover::new(Arc::new(cpu_of::<P>(1)), air.clone()).expect("a sound AIR");
    let prove = || prover.prove(&air.trace(), &options, AirDigest::OfAir, &Silent).expect("an honest trace");
    let (one, other) = (prove(), prove());
    assert_ne!((one.head.main_root, one.head.out_of_domain), (other.head.main_root, other.head.out_of_domain));
    let hidden = format!("{:?}", MaskSeed::from_bytes([77; 32]));
    assert!(!hidden.contains("77"), "{hidden}");
}

/// One row fewer is refused by both sides, with the number.
#[test]
fn too_few_free_rows_are_refused() {
    for (air, options) in cases() {
        let recorded = record(&*air).expect("a sound AIR");
        let needed = recorded.free_rows() as u64;
        let own: BTreeMap<&str, &[(&str, u64)]> =
            BTreeMap::from([("fibonacci-rap", &[("steps", 40)][..]), ("wide", &[("width", 5), ("degree", 2)])]);
        let fewer = example(air.name(), needed - 1, own.get(air.name()).copied().unwrap_or_default());
        let expected = OptionsError::FreeRows { needed, found: needed - 1 };
        match prove(&Arc::new(cpu_of::<P>(1)), &fewer, &options, 1, false) {
            Err(ProveError::Options(error)) => assert_eq!(error, expected),
            other => panic!("{:?}", other.map(|_| "a proof")),
        }
        let recorded = record(&*fewer).expect("a sound AIR");
        let verdict = compact::verify_bytes(&recorded, &options, &[], &Policy::ANY);
        assert_eq!(verdict, Err(VerifyError::Options(expected)));
    }
}

/// The plan holds at both ends, and counts the masks.
#[test]
fn a_plan_counts_the_masks() {
    for (air, options) in cases() {
        let backend = Arc::new(reference::<P>());
        let prover = Prover::new(backend.clone(), air.clone()).expect("a sound AIR");
        let plan = prover.plan(&options).expect("good options");
        let masks = MaskSeed::from_bytes([3; 32]);
        prover.prove_masked(Some(&air.trace()), &options, AirDigest::OfAir, masks, &Silent).expect("an honest trace");
        let peak = backend.memory().expect("counted").peak;
        assert!(peak <= plan.peak_bytes && plan.peak_bytes <= peak + peak / 20, "{peak}, {}", plan.peak_bytes);
        let open = prover.plan(&Options { hiding: Hiding::None, ..options }).expect("good options");
        assert!(open.peak_bytes < plan.peak_bytes);
        prover.plan(&lambdaworks::Options::default()).map(drop).expect("options of another format");
    }
}
