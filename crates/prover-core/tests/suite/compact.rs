//! Proofs of the compact format: the text's vectors, and random statements, the same everywhere.

use std::sync::Arc;

use adversary::goldilocks::Statement;
use adversary::{Bounds, Change};
use air::record;
use golden::backends::{cpu, cpu_of, reference};
use golden::goldilocks::compact::check_vectors;
use golden::slow_or_skip;
use goldilocks_proof::compact::{AirDigest, Options, Proof, Suite, encode};
use goldilocks_proof::{Draw, Hiding, OptionsError, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, compact};
use gpu_hal::{GoldilocksStark, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::{ProveError, Prover};

type P = GoldilocksStark;

#[test]
fn the_vectors_of_the_text() {
    check_vectors(&Arc::new(reference::<P>()));
    check_vectors(&Arc::new(cpu_of::<P>(2)));
}

/// Options for so many rows that differ from seed to seed: folds of all sizes, one and two points, work here and there.
fn options(seed: u64, log_rows: u32, parts: u32) -> Options {
    let mut digits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
    let mut below = |count: u64| {
        let digit = digits % count;
        digits /= count;
        digit as u32
    };
    let mut folds = vec![below(5).min(log_rows)];
    let mut left = log_rows - folds[0];
    while left > 0 && (folds.len() < 2 || below(4) > 0) {
        folds.push((1 + below(4)).min(left));
        left -= folds[folds.len() - 1];
    }
    let draws = Draw::all(folds.len());
    let work = draws.map(|draw| match draw {
        Draw::Challenges => 0,
        Draw::Fold(0) if folds[0] == 0 => 0,
        Draw::Queries => 2,
        _ => below(3),
    });
    let work = work.collect();
    let (blowup, points) = (parts.next_power_of_two().max(2), 1 + below(2));
    Options {
        blowup,
        queries: 12,
        coset_offset: 7,
        points,
        work,
        folds,
        log_last: left,
        suite: Suite::Keccak256,
        hiding: Hiding::None,
    }
}

fn prove<B: StarkBackend<P = P>>(
    backend: &Arc<B>,
    statement: &Statement,
    options: &Options,
) -> Result<Proof<P>, ProveError> {
    let prover = Prover::new(backend.clone(), Arc::new(statement.clone()))?;
    prover.prove(&statement.trace(), options, AirDigest::OfAir, &Silent)
}

#[test]
fn random_statements() {
    let (reference, cpu) = (Arc::new(reference::<P>()), Arc::new(cpu_of::<P>(2)));
    let statements = if slow_or_skip("160 of 200 random statements") { 200 } else { 40 };
    let (mut firsts, mut points, mut told) = ([0; 5], [0; 2], 0);
    for seed in 0..statements {
        let statement = Statement::draw(seed, &Bounds::default());
        let recorded = record(&statement).expect("an AIR");
        let parts = recorded.layout().composition_parts as u32;
        let options = options(seed, recorded.log_trace_length(), parts);
        firsts[options.folds[0] as usize] += 1;
        points[options.points as usize - 1] += 1;
        let honest = prove(&cpu, &statement, &options).unwrap_or_else(|error| panic!("{seed}, {options:?}: {error}"));
        let plain = prove(&reference, &statement, &options).expect("as on the other backend");
        assert!(honest == plain, "seed {seed}: another proof on another backend");
        let bytes = encode(&honest, &options);
        let accepts = |statement: &Statement| {
            let recorded = record(statement).expect("an AIR");
            compact::verify_bytes(&recorded, &options, &bytes, &Policy::ANY).map(drop)
        };
        assert_eq!(accepts(&statement), Ok(()), "seed {seed}, {options:?}");
        for violation in statement.violations(seed) {
            let (what, changed) = (violation.what, &violation.statement);
            match prove(&cpu, changed, &options) {
                Err(ProveError::Unsatisfied(_)) => {}
                Ok(_) if matches!(what, Change::Public { .. }) => {}
                other => panic!("seed {seed}, {what}: {:?}", other.map(|_| "a proof")),
            }
            // The claim is another one: the transcript differs, and so do the opened leaves.
            if !what.is_of_trace() {
                assert!(accepts(changed).is_err(), "seed {seed}, {what}");
                told += 1;
            }
        }
    }
    assert!(firsts.iter().chain(&points).all(|&count| count > 0) && told > 10, "{firsts:?} {points:?} {told}");
}

/// The plan holds at both ends: as much as was promised, and little less.
#[test]
fn a_plan_is_of_the_proof() {
    let statement = Statement::draw(3, &Bounds::default());
    let recorded = record::<P, _>(&statement).expect("an AIR");
    for seed in 0..4 {
        let options = options(seed, recorded.log_trace_length(), recorded.layout().composition_parts as u32);
        let backend = Arc::new(reference::<P>());
        let prover = Prover::new(backend.clone(), Arc::new(statement.clone())).expect("a sound AIR");
        let plan = prover.plan(&options).expect("good options");
        prover.prove(&statement.trace(), &options, AirDigest::OfAir, &Silent).expect("an honest trace");
        let peak = backend.memory().expect("counted").peak;
        assert!(peak <= plan.peak_bytes, "{peak} bytes, {} planned", plan.peak_bytes);
        // A plan for other options does not stand for it.
        let other = lambdaworks::Options { blowup: 8, ..lambdaworks::Options::default() };
        assert!(prover.plan(&other).expect("good options").log_lde != plan.log_lde || options.blowup == 8);
        assert_eq!(prover.plan(&options).expect("good options"), plan);
    }
}

#[test]
fn options_of_another_statement_are_refused() {
    let statement = Statement::draw(3, &Bounds::default());
    let recorded = record::<P, _>(&statement).expect("an AIR");
    let log_rows = recorded.log_trace_length();
    let options = options(1, log_rows + 1, recorded.layout().composition_parts as u32);
    let expected = OptionsError::FoldSum { steps: log_rows + 1, log_rows };
    match prove(&Arc::new(cpu::<P>()), &statement, &options) {
        Err(ProveError::Options(error)) => assert_eq!(error, expected),
        other => panic!("{:?}", other.map(|_| "a proof")),
    }
    let verdict = compact::verify_bytes(&recorded, &options, &[], &Policy::ANY);
    assert_eq!(verdict, Err(VerifyError::Options(expected)));
}
