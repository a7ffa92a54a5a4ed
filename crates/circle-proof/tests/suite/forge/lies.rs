//! Every lie of the malicious prover, about random statements: the check that is there for it refuses, and without the
//! lie the proof is taken.

use std::sync::Arc;

use adversary::Bounds;
use adversary::circle::Statement;
use adversary::liar::circle::{Claimed, Liar, Lie, Table};
use circle_proof::{CircleOptions, Suite, encode};
use golden::backends::reference;
use golden::slow_or_skip;
use gpu_hal::CircleStark;
use prover_core::Silent;
use prover_core::circle::Prover;

use crate::forge::attacks::air;

/// Statements that lies are told about.
const STATEMENTS: u64 = 12;
/// How many of them each lie is told of with each suite, and how many where tests need not take long.
const TIMES: [usize; 2] = [STATEMENTS as usize, 1];

const BOUNDS: Bounds = Bounds { max_log_rows: 4, max_columns: 3 };

/// Work only where the lie is about work: a transcript that differs would be refused for the work.
fn options(
    statement: &dyn circle_air::Statement,
    trace: &[Table],
    lie: Option<Lie>,
    seed: u64,
    suite: Suite,
) -> CircleOptions {
    let log_blowup = 2;
    let log_rows = trace.iter().flatten().map(|column| column.len().ilog2()).max();
    let lifting = log_rows.filter(|_| !statement.preprocessed(None).is_empty()).map(|log_rows| log_rows + log_blowup);
    let pow_bits = if matches!(lie, Some(Lie::NoGrinding)) { 5 } else { 0 };
    let fold_step = 1 + u32::from(seed.is_multiple_of(4));
    CircleOptions { pow_bits, log_blowup, queries: 20, fold_step, lifting, suite, ..CircleOptions::default() }
}

/// A suite that the seed chooses.
fn some_suite(seed: u64) -> Suite {
    Suite::ALL[seed as usize % Suite::ALL.len()]
}

/// With each suite of hash functions every lie is told at least once.
#[test]
fn every_lie_about_random_statements() {
    let mut wrong = Vec::new();
    let mut statements: Vec<(Arc<dyn circle_air::Statement>, Vec<Table>)> = Vec::new();
    let all = slow_or_skip("every lie about all but one of 12 random statements");
    for seed in 0..STATEMENTS {
        let statement = Statement::draw(seed, &BOUNDS);
        let trace = statement.trace();
        statements.push((Arc::new(statement), trace));
    }
    // Without preprocessed columns.
    let wide = air("wide-fibonacci", 3, &[("w", "5")]);
    let trace = wide.trace();
    statements.push((wide, trace));
    for (suite, &lie) in Suite::ALL.into_iter().flat_map(|suite| Lie::ALL.iter().map(move |lie| (suite, lie))) {
        let mut told = 0;
        for (seed, (statement, trace)) in statements.iter().enumerate() {
            let (seed, statement) = (seed as u64, &**statement);
            let options = options(statement, trace, Some(lie), seed, suite);
            let Some(forged) = Liar::new(statement, trace, options).with(lie).seed(seed).prove() else { continue };
            told += 1;
            match (Claimed { statement, options }).check(&forged) {
                Err(error) if lie.stops(&error) => {}
                other => wrong.push(format!("{lie:?}, {suite}, statement {seed}: {other:?}")),
            }
            if told == TIMES[usize::from(!all)] {
                break;
            }
        }
        // Some statements do not have what a lie is about.
        if told < if all && lie != Lie::EmptyRoot { 2 } else { 1 } {
            wrong.push(format!("{lie:?}, {suite}: told {told} times"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn without_a_lie_it_is_the_prover() {
    let backend = Arc::new(reference::<CircleStark>());
    for seed in 0..STATEMENTS {
        let statement = Statement::draw(seed, &BOUNDS);
        let options =
            CircleOptions { pow_bits: 3, ..options(&statement, &statement.trace(), None, seed, some_suite(seed)) };
        let forged = Liar::new(&statement, &statement.trace(), options).prove().expect("nothing is forged");
        let verified = Claimed { statement: &statement, options }.check(&forged);
        assert!(verified.is_ok(), "statement {seed}: {verified:?}");
        let prover = Prover::new(backend.clone(), Arc::new(statement.clone()), &options).unwrap();
        let made = prover.prove(&statement.trace(), &Silent).unwrap();
        assert!(encode(&made.proof) == encode(&forged.proof), "statement {seed}");
        assert_eq!(made.claimed_sums, forged.sums, "statement {seed}");
    }
}

/// Two lies at a time: a proof with a refused lie stays refused, and no combination makes the verifier panic.
#[test]
fn lies_together() {
    let mut told = 0;
    let steps: &[usize] = if slow_or_skip("two of three pairs of lies") { &[1, 7, 18] } else { &[7] };
    for (number, &first) in Lie::ALL.iter().enumerate() {
        let seed = number as u64 % STATEMENTS;
        let statement = Statement::draw(seed, &BOUNDS);
        let trace = statement.trace();
        for second in steps.iter().map(|step| Lie::ALL[(number + step) % Lie::ALL.len()]) {
            let options = options(&statement, &trace, Some(first), seed, some_suite(seed));
            let liar = Liar::new(&statement, &trace, options).with(first).with(second).seed(seed);
            let Some(forged) = liar.prove() else { continue };
            let verified = Claimed { statement: &statement, options }.check(&forged);
            assert!(verified.is_err(), "{first:?} and {second:?}, statement {seed}");
            told += 1;
        }
    }
    assert!(told > Lie::ALL.len() / 2, "{told}");
}
