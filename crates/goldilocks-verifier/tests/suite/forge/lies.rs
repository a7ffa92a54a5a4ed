//! Every lie of the malicious prover, about random statements: the check that is there for it refuses, and without the
//! lie the proof is taken.

use std::collections::BTreeMap;

use adversary::Bounds;
use adversary::goldilocks::Statement;
use adversary::liar::goldilocks::{Cubic, Liar, Lie};
use air::airs::Wide;
use air::{Air, RecordedAir, Trace, record};
use field::Goldilocks;
use goldilocks_proof::{Seed, Suite, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, verify, verify_bytes};

use crate::forge::attacks::prover_s_bytes;

/// Statements; each lie is told of most of them.
const STATEMENTS: u64 = 8;

const BOUNDS: Bounds = Bounds { max_log_rows: 4, max_columns: 3 };

/// Work only where the lie is about work: a transcript that differs would be refused for the work.
fn options(air: &dyn Air<Cubic>, lie: Option<Lie>, seed: u64) -> lambdaworks::Options {
    let parts = air.layout().composition_parts.next_power_of_two() as u32;
    let grinding = if matches!(lie, Some(Lie::NoGrinding)) { 5 } else { 0 };
    let suite = if seed.is_multiple_of(2) { Suite::Keccak256 } else { Suite::Poseidon2 };
    lambdaworks::Options { blowup: (2 * parts).max(4), queries: 20, grinding, coset_offset: 7, suite }
}

/// Refused in memory and as bytes, and by the right check.
fn is_stopped(
    lie: Lie,
    air: &RecordedAir<Cubic>,
    options: &lambdaworks::Options,
    liar: &Liar<'_>,
) -> Option<Result<(), String>> {
    let (proof, bytes) = (liar.proof()?, liar.prove()?);
    let verdict = |result: Result<_, VerifyError>| match result {
        Err(error) if lie.stops(&error) => Ok(()),
        other => Err(format!("{other:?}")),
    };
    let in_memory = verdict(verify(air, options, Seed::Default, &proof, &Policy::ANY));
    Some(in_memory.and(verdict(verify_bytes(air, options, Seed::Default, &bytes, &Policy::ANY))))
}

#[test]
fn every_lie_about_random_statements() {
    let mut told: BTreeMap<usize, u64> = BTreeMap::new();
    let mut statements: Vec<(Box<dyn Air<Cubic>>, Trace<Goldilocks>)> = Vec::new();
    for seed in 0..STATEMENTS {
        let statement = Statement::draw(seed, &BOUNDS);
        let trace = statement.trace();
        statements.push((Box::new(statement), trace));
    }
    // Leaves of eight columns, of 64 bytes as nodes.
    let wide = Wide::new(8, 8, 2).expect("possible");
    let trace = air::ExampleAir::<Cubic>::trace(&wide);
    statements.push((Box::new(wide), trace));
    let mut accepted = Vec::new();
    for (seed, (air, trace)) in statements.iter().enumerate() {
        let (seed, recorded) = (seed as u64, record::<Cubic, _>(&**air).expect("valid"));
        for (number, &lie) in Lie::ALL.iter().enumerate() {
            let options = options(&**air, Some(lie), seed);
            let liar = Liar::new(&**air, trace, options).with(lie).seed(seed);
            let Some(result) = is_stopped(lie, &recorded, &options, &liar) else { continue };
            *told.entry(number).or_insert(0) += 1;
            accepted.extend(result.err().map(|found| format!("{lie:?}, statement {seed}: {found}")));
        }
        let options = options(&**air, None, seed);
        let honest = Liar::new(&**air, trace, options).prove().expect("nothing is forged");
        let verified = verify_bytes(&recorded, &options, Seed::Default, &honest, &Policy::ANY);
        assert!(verified.is_ok(), "statement {seed}: {verified:?}");
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
    let seldom = |lie: Lie| if lie == Lie::NodeForLeaf { 1 } else { 3 };
    for (number, &lie) in Lie::ALL.iter().enumerate() {
        let times = told.get(&number).copied().unwrap_or(0);
        assert!(times >= seldom(lie), "{lie:?} was told {times} times");
    }
}

#[test]
fn without_a_lie_it_is_the_prover() {
    for seed in 0..STATEMENTS {
        let statement = Statement::draw(seed, &BOUNDS);
        let options = lambdaworks::Options { grinding: 3, ..options(&statement, None, seed) };
        let bytes = Liar::new(&statement, &statement.trace(), options).prove().expect("nothing is forged");
        assert!(
            bytes == prover_s_bytes(std::sync::Arc::new(statement.clone()), &statement.trace(), &options),
            "{seed}"
        );
    }
}

/// Two lies at a time: a proof with a refused lie stays refused, and no combination makes the verifier panic.
#[test]
fn lies_together() {
    let mut told = 0;
    for (number, &first) in Lie::ALL.iter().enumerate() {
        let seed = number as u64 % STATEMENTS;
        let statement = Statement::draw(seed, &BOUNDS);
        let (recorded, trace) = (record(&statement).expect("valid"), statement.trace());
        for second in [1, 7, 18].map(|step| Lie::ALL[(number + step) % Lie::ALL.len()]) {
            let options = options(&statement, Some(first), seed);
            let liar = Liar::new(&statement, &trace, options).with(first).with(second).seed(seed);
            let Some(bytes) = liar.prove() else { continue };
            let verified = verify_bytes(&recorded, &options, Seed::Default, &bytes, &Policy::ANY);
            assert!(verified.is_err(), "{first:?} and {second:?}, statement {seed}");
            told += 1;
        }
    }
    assert!(told > Lie::ALL.len(), "{told}");
}
