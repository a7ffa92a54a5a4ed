//! Drawing cases by proptest: the shape shrinks, the data follow from a seed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::slow::is_slow_run;
use crate::{Failure, Random};

/// One case of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Log2 of the rows, within the test's range.
    pub log: u32,
    /// Number of columns, at least 1.
    pub width: usize,
    /// Everything else is drawn from this.
    pub seed: u64,
}

impl Case {
    /// The generator of the case's data.
    pub fn random(&self) -> Random {
        Random::new(self.seed)
    }
}

/// A case that is run alone: fuzzing draws one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Picks log2 of the rows: below 240 one of the seven smallest that a test has, above any.
    pub log: u8,
    /// Picks the number of columns.
    pub width: u8,
    /// [`Case::seed`].
    pub seed: u64,
    /// Largest log2 of the rows, unless the least of the test is more.
    pub max_log: u32,
    /// How many constraint and row programs there are, for devices that compile each of them; `None`: one for each
    /// seed.
    pub programs: Option<u64>,
}

impl Single {
    /// The case within a test's range.
    pub(crate) fn case(&self, logs: RangeInclusive<u32>, widths: RangeInclusive<usize>) -> Case {
        let (low, high) = (*logs.start(), (*logs.end()).min(self.max_log.max(*logs.start())));
        let high = if self.log < 240 { high.min(low + 6) } else { high };
        let log = low + u32::from(self.log) % (high - low + 1);
        let width = widths.start() + usize::from(self.width) % (widths.end() - widths.start() + 1);
        Case { log, width, seed: self.seed }
    }
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    match value.trim().parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("{name}={value}: give a number"),
    }
}

/// A test of a case. Behind a reference, so that proptest's machinery is compiled once and not for each test of each
/// backend.
type Test<'a> = &'a dyn Fn(Case) -> Result<(), Failure>;

/// Runs `test` on the corner cases and on random ones; panics with the smallest failing case and the seed.
pub(crate) fn check(what: &str, logs: RangeInclusive<u32>, widths: RangeInclusive<usize>, test: Test<'_>) {
    let cases = variable("POLYSTARK_CONFORMANCE_CASES").unwrap_or(if is_slow_run() { 24 } else { 8 }) as u32;
    let seed = variable("POLYSTARK_CONFORMANCE_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    if let Err(failure) = run(cases, seed, logs, widths, test) {
        panic!("{what}: {failure}\nagain with POLYSTARK_CONFORMANCE_SEED={seed} POLYSTARK_CONFORMANCE_CASES={cases}");
    }
}

fn run(
    cases: u32,
    seed: u64,
    logs: RangeInclusive<u32>,
    widths: RangeInclusive<usize>,
    test: Test<'_>,
) -> Result<(), String> {
    let (low, high) = (*logs.start(), *logs.end());
    let widest = *widths.end();
    let corners = [(low, 1), (low, widest), (low + 1, 1), (high, 1), (high, widest.min(3))];
    for (index, (log, width)) in corners.into_iter().enumerate() {
        let case = Case { log: log.min(high), width, seed: seed.wrapping_add(index as u64) };
        test(case).map_err(|failure| format!("{failure}\n{case:?}"))?;
    }

    // Small shapes are where the special cases are; large ones are dear.
    let middle = low + (high - low) / 2;
    let log = prop_oneof![4 => low..=middle.min(low + 4), 4 => low..=middle, 1 => middle..=high];
    let strategy = (log, widths, any::<u64>()).prop_map(|(log, width, seed)| Case { log, width, seed });
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &key));
    let result = runner.run(&strategy, |case| test(case).map_err(|failure| TestCaseError::fail(failure.to_string())));
    result.map_err(|error| match error {
        TestError::Fail(reason, case) => format!("{reason}\n{case:?}"),
        TestError::Abort(reason) => format!("aborted: {reason}"),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn drawn(seed: u64) -> Vec<Case> {
        let seen = RefCell::new(Vec::new());
        let record = |case| {
            seen.borrow_mut().push(case);
            Ok(())
        };
        run(50, seed, 1..=14, 1..=9, &record).expect("no case fails");
        seen.into_inner()
    }

    #[test]
    fn the_corners_are_always_there_and_a_seed_repeats_the_rest() {
        let cases = drawn(1);
        assert_eq!(cases.len(), 55);
        for (log, width) in [(1, 1), (1, 9), (2, 1), (14, 1), (14, 3)] {
            assert!(cases[..5].iter().any(|case| (case.log, case.width) == (log, width)), "no 2^{log} x {width}");
        }
        assert!(cases.iter().all(|case| (1..=14).contains(&case.log) && (1..=9).contains(&case.width)));
        assert!(cases[5..].iter().any(|case| case.log > 8), "large ones are among the random ones");
        assert_eq!(cases, drawn(1));
        assert_ne!(cases, drawn(2));
    }

    #[test]
    fn a_single_case_is_within_the_range_and_reaches_its_ends() {
        let shape = |(log, width)| Single { log, width, seed: 5, max_log: 12, programs: None }.case(1..=14, 1..=9);
        let cases: Vec<Case> = (0..=255).flat_map(|log| (0..9).map(move |width| (log, width))).map(shape).collect();
        assert!(cases.iter().all(|case| (1..=12).contains(&case.log) && (1..=9).contains(&case.width)));
        for (log, width) in [(1, 1), (7, 9), (12, 9)] {
            assert!(cases.contains(&Case { log, width, seed: 5 }), "no 2^{log} x {width}");
        }
    }

    #[test]
    fn a_failure_shrinks_to_the_smallest_shape() {
        let fail = |case: Case| if case.log >= 4 && case.log < 13 { Err(Failure::new("wrong")) } else { Ok(()) };
        let message = run(200, 3, 0..=14, 1..=9, &fail).expect_err("some case fails");
        assert!(message.starts_with("Test failed: wrong") || message.starts_with("wrong"), "{message}");
        assert!(message.contains("log: 4, width: 1"), "{message}");
    }
}
