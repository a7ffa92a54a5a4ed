//! Drawing cases by proptest: the shape shrinks, the data follow from a seed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

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

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    match value.trim().parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("{name}={value}: give a number"),
    }
}

/// Runs `test` on the corner cases and on random ones; panics with the smallest failing case and the seed.
pub(crate) fn check(
    what: &str,
    logs: RangeInclusive<u32>,
    widths: RangeInclusive<usize>,
    test: impl Fn(Case) -> Result<(), Failure>,
) {
    let cases = variable("POLYSTARK_CONFORMANCE_CASES").unwrap_or(24) as u32;
    let seed = variable("POLYSTARK_CONFORMANCE_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let again = format!("again with POLYSTARK_CONFORMANCE_SEED={seed} POLYSTARK_CONFORMANCE_CASES={cases}");

    let (low, high) = (*logs.start(), *logs.end());
    let corners = [(low, 1), (low, *widths.end()), (low + 1, 1), (high, 1), (high, widths.end().min(&3) | 1)];
    for (index, (log, width)) in corners.into_iter().enumerate() {
        let case = Case { log: log.min(high), width, seed: seed.wrapping_add(index as u64) };
        if let Err(failure) = test(case) {
            panic!("{what}: {failure}\n{case:?}\n{again}");
        }
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
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("{what}: {reason}\n{case:?}\n{again}"),
        Err(TestError::Abort(reason)) => panic!("{what}: aborted: {reason}\n{again}"),
    }
}
