//! Circle proofs against the golden ones of the reference prover, and traces that must not be proven.

use std::sync::Arc;

use circle_air::airs::ShippedAir;
use circle_proof::{CircleOptions, Suite};
use field::{Field, M31};
use golden::backends::{cpu, reference};
use golden::circle::{air, check, digests, proofs, suites};
use gpu_hal::CircleStark;
use prover_core::Silent;
use prover_core::circle::{ProveError, Prover};

#[test]
fn golden_proofs() {
    let cases = proofs();
    assert_eq!(cases.len(), 16);
    cases.iter().for_each(|case| check(&Arc::new(reference::<CircleStark>()), case));
}

#[test]
fn golden_digests() {
    let cases = digests();
    assert_eq!(cases.len(), 14);
    cases.iter().for_each(|case| check(&Arc::new(reference::<CircleStark>()), case));
}

/// Hash functions that circuits and contracts verify.
#[test]
fn golden_digests_of_other_suites() {
    let cases = suites();
    for suite in [Suite::Blake2sM31, Suite::Poseidon252] {
        assert!(cases.iter().filter(|case| case.options.suite == suite).count() >= 20, "{suite}");
    }
    cases.iter().for_each(|case| check(&Arc::new(cpu::<CircleStark>()), case));
    let small = cases.iter().filter(|case| case.log_rows <= 5);
    small.for_each(|case| check(&Arc::new(reference::<CircleStark>()), case));
}

/// Small statements of every AIR, whose traces have no cell that is free.
fn statements() -> [Arc<dyn ShippedAir>; 4] {
    [
        air("fibonacci", 4, "a=1;b=2"),
        air("wide-fibonacci", 3, "w=5;s=1"),
        air("plonk", 4, "v0=3;v1=4"),
        air("range-squares", 4, "table=4;s=2"),
    ]
}

fn options() -> CircleOptions {
    CircleOptions { pow_bits: 3, log_blowup: 1, queries: 3, fold_step: 1, ..CircleOptions::default() }
}

#[test]
fn every_changed_cell_is_refused() {
    let backend = Arc::new(reference::<CircleStark>());
    for air in statements() {
        let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
        let trace = air.trace();
        prover.prove(&trace, &Silent).expect("a satisfied trace");
        for component in 0..trace.len() {
            for (column, row) in
                (0..trace[component].len()).flat_map(|c| (0..trace[component][c].len()).map(move |r| (c, r)))
            {
                let mut changed = trace.clone();
                changed[component][column][row] += M31::ONE;
                match prover.prove(&changed, &Silent) {
                    Err(ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)) => {}
                    Err(other) => panic!("{}: {other}", air.name()),
                    Ok(_) => panic!("{}: column {column} of component {component}, row {row}", air.name()),
                }
            }
        }
    }
}

#[test]
fn traces_of_another_shape_are_refused() {
    let backend = Arc::new(reference::<CircleStark>());
    let air = air("range-squares", 4, "table=5;s=2");
    let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
    let trace = air.trace();
    let refused = |trace: &[Vec<Vec<M31>>]| prover.prove(trace, &Silent).expect_err("another shape");
    assert!(matches!(refused(&trace[..1]), ProveError::TraceCount { given: 1, expected: 2 }));
    let mut fewer = trace.clone();
    fewer[0].pop();
    assert!(matches!(refused(&fewer), ProveError::TraceShape { component: 0, .. }));
    let mut shorter = trace.clone();
    shorter[1][0].pop();
    assert!(matches!(refused(&shorter), ProveError::TraceShape { component: 1, .. }));
    prover.prove(&trace, &Silent).expect("the right one afterwards");
}

#[test]
fn a_random_trace_is_refused() {
    let backend = Arc::new(reference::<CircleStark>());
    for air in statements() {
        let prover = Prover::new(backend.clone(), air.clone(), &options()).expect("provable");
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            M31::new((state >> 33) as u32 % 0x7fff_ffff)
        };
        let mut trace = air.trace();
        trace.iter_mut().flatten().flatten().for_each(|cell| *cell = next());
        let error = prover.prove(&trace, &Silent).expect_err("a random trace");
        assert!(matches!(error, ProveError::Unsatisfied(_) | ProveError::ClaimedSums(_)), "{error}");
    }
}

#[test]
fn unsorted_openings_name_the_remedy() {
    // Trap 8: a preprocessed tree below the common domain; with many queries some block has an odd position before an
    // even one.
    let backend = Arc::new(reference::<CircleStark>());
    let air = air("range-squares", 8, "table=4;s=2");
    let many = CircleOptions { queries: 60, ..options() };
    let prover = Prover::new(backend.clone(), air.clone(), &many).expect("provable");
    let error = prover.prove(&air.trace(), &Silent).expect_err("unsorted");
    assert!(matches!(error, ProveError::Unsorted(_)) && error.to_string().contains("lifting 9"), "{error}");
    let lifted = CircleOptions { lifting: Some(9), ..many };
    Prover::new(backend.clone(), air.clone(), &lifted)
        .expect("provable")
        .prove(&air.trace(), &Silent)
        .expect("the remedy");
}
