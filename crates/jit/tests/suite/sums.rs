//! The sums of compiled programs are those of the definition.

use field::protocol::{GoldilocksStark, Protocol};
use field::{ExtensionField, Field, Fp3, Goldilocks};
use ir::{Group, Kind, ProgramBuilder, Schedule};
use jit::{Compiled, JitError};

use crate::random::{Case, Random};

const ROWS: usize = 16;

/// Compiles a case, runs it, and compares its sums. `None` where no code can be made.
fn compare<P: Protocol<Base = Goldilocks>>(seed: u64, case: &Case<P>) -> Option<()> {
    let schedule = Schedule::new(&case.program);
    let groups: Vec<Vec<usize>> = case.groups.iter().map(|group| group.iter().map(|term| term.0).collect()).collect();
    let weights: Vec<Vec<P::Ext>> = case.groups.iter().map(|group| group.iter().map(|term| term.1).collect()).collect();
    let compiled = match Compiled::new(&schedule, &groups, ROWS) {
        Err(JitError::NotThisMachine) => return None,
        compiled => compiled.expect("a machine that code is made for"),
    };
    let uniforms = compiled.uniforms(&schedule, &case.params, &weights);
    let mut sums = vec![u64::MAX; groups.len() * P::DEGREE * ROWS];
    compiled.run(&uniforms, &mut compiled.workspace(), &mut sums, |load, words| {
        for (word, value) in words.iter_mut().zip(case.column(load, ROWS)) {
            *word = value.value();
        }
        None
    });
    for (group, expected) in case.expected(ROWS).iter().enumerate() {
        for (row, expected) in expected.iter().enumerate() {
            let found: Vec<Goldilocks> =
                (0..P::DEGREE).map(|k| Goldilocks::new(sums[(group * P::DEGREE + k) * ROWS + row])).collect();
            assert_eq!(expected.coordinates(), found, "seed {seed}, group {group}, row {row}");
        }
    }
    Some(())
}

/// A number from the environment.
fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// One in 16 is cut into several parts.
fn operations(seed: u64) -> usize {
    if seed.is_multiple_of(16) { 3000 } else { 1 + (seed as usize * 7) % 200 }
}

/// `POLYSTARK_JIT_CASES=1000000` runs as many, from seed `POLYSTARK_JIT_SEED` on.
#[test]
fn random_programs() {
    let first = variable("POLYSTARK_JIT_SEED", 0);
    for seed in first..first + variable("POLYSTARK_JIT_CASES", 1000) {
        let mut random = Random::new(seed);
        let compared = if seed % 4 == 3 {
            compare(seed, &random.case::<Goldilocks>(operations(seed)))
        } else {
            compare(seed, &random.case::<Fp3>(operations(seed)))
        };
        if compared.is_none() {
            return println!("left out: no code is made here");
        }
    }
}

/// More terms than are added up before a sum is reduced, of the largest words and weights there are.
#[test]
fn long_sums_of_large_words() {
    let mut builder = ProgramBuilder::<GoldilocksStark<Fp3>>::new(vec![Group { width: 1, kind: Kind::Base }], 0);
    let column = builder.load(0, 0, 0);
    let largest = builder.neg(column);
    builder.output(column);
    builder.output(largest);
    let program = builder.finish().expect("one column is declared");
    let schedule = Schedule::new(&program);
    let minus_one = -Goldilocks::ONE;
    let weight = Fp3::new(minus_one, minus_one, minus_one);
    for terms in [1, 511, 512, 513, 2000] {
        let groups = vec![(0..terms).map(|term| term % 2).collect::<Vec<_>>()];
        let compiled = match Compiled::new(&schedule, &groups, ROWS) {
            Err(JitError::NotThisMachine) => return println!("left out: no code is made here"),
            compiled => compiled.expect("a machine that code is made for"),
        };
        let uniforms = compiled.uniforms(&schedule, &[], &[vec![weight; terms]]);
        for value in [minus_one, Goldilocks::ONE, Goldilocks::new((1 << 40) - 1), -Goldilocks::new(1 << 40)] {
            let mut sums = vec![0; 3 * ROWS];
            compiled.run(&uniforms, &mut compiled.workspace(), &mut sums, |_, words| {
                words.fill(value.value());
                None
            });
            let expected = if terms % 2 == 0 { Goldilocks::ZERO } else { value * minus_one };
            assert!(sums.iter().all(|sum| Goldilocks::new(*sum) == expected), "{terms} terms of {value:?}");
        }
    }
}

#[test]
fn what_cannot_be_compiled_is_an_error() {
    let mut builder = ProgramBuilder::<GoldilocksStark<Fp3>>::new(Vec::new(), 0);
    let one = builder.constant(Goldilocks::ONE);
    builder.output(one);
    let program = builder.finish().expect("a constant");
    for rows in [0, 4, 12] {
        let error =
            Compiled::new(&Schedule::new(&program), &[vec![0]], rows).map(|_| ()).expect_err("no whole registers");
        assert!(matches!(error, JitError::Rows(found) if found == rows), "{error}");
    }
}
