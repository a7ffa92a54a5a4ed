//! The proven cases: random statements of either protocol, with options.

use std::sync::Arc;

use adversary::{Bounds, Violation, circle, goldilocks};
use circle_air::Statement as _;
use circle_proof::CircleOptions;

use sdk::air::{Air as _, Trace};
use sdk::goldilocks_proof::Suite;
use sdk::hal::CircleStark;
use sdk::{Device, Error, Follow, Goldilocks3, GoldilocksOptions, ProofSystem, Proven};

/// A statement with a trace.
pub(super) struct Case<F: ProofSystem> {
    air: Arc<F::Air>,
    trace: F::Trace,
    options: F::Options,
}

impl<F: ProofSystem> Case<F> {
    /// Proves it. The proof is verified.
    pub(super) fn prove(&self, device: &Device<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        device.prove_air_with(self.air.clone(), &self.trace, self.options.clone(), follow)
    }
}

/// A true statement and lies about it.
pub(super) struct Drawn<F: ProofSystem> {
    pub(super) truth: Case<F>,
    /// The same with traces that do not satisfy it, each with the change.
    pub(super) lies: Vec<(String, Case<F>)>,
}

/// The violations that are in the trace.
fn lies_of<S, F: ProofSystem>(violations: Vec<Violation<S>>, case: impl Fn(S) -> Case<F>) -> Vec<(String, Case<F>)> {
    let of_trace = violations.into_iter().filter(|violation| violation.what.is_of_trace());
    of_trace.map(|violation| (violation.what.to_string(), case(violation.statement))).collect()
}

impl Drawn<Goldilocks3> {
    /// The random statement of a seed, and lies about it.
    pub(super) fn goldilocks(seed: u64, bounds: &Bounds) -> Self {
        let truth = goldilocks::Statement::draw(seed, bounds);
        let lies = lies_of(truth.violations(seed), |lie| goldilocks_case(lie, seed));
        Self { truth: goldilocks_case(truth, seed), lies }
    }
}

fn goldilocks_case(statement: goldilocks::Statement, seed: u64) -> Case<Goldilocks3> {
    let parts = u32::try_from(statement.layout().composition_parts.next_power_of_two()).unwrap_or(u32::MAX);
    let suite = if seed.is_multiple_of(4) { Suite::Poseidon2 } else { Suite::Keccak256 };
    let options = GoldilocksOptions { blowup: parts.max(2), queries: 16, grinding: 4, coset_offset: 3, suite };
    let trace: Trace<_> = statement.trace();
    Case { air: Arc::new(statement), trace, options: options.into() }
}

impl Drawn<CircleStark> {
    /// The random statement of a seed, and lies about it.
    pub(super) fn circle(seed: u64, bounds: &Bounds) -> Self {
        let truth = circle::Statement::draw(seed, bounds);
        let lies = lies_of(truth.violations(seed), |lie| circle_case(lie, seed));
        Self { truth: circle_case(truth, seed), lies }
    }
}

fn circle_case(statement: circle::Statement, seed: u64) -> Case<CircleStark> {
    let [blowup, fold] = [seed % 2, seed % 3].map(|number| number as u32);
    let (log_blowup, fold_step) = (1 + blowup, 1 + fold);
    // Trees of one height, lookup columns included, which may all be in low components.
    let has_preprocessed = !statement.preprocessed(None).is_empty();
    let lifting = has_preprocessed.then_some(statement.log_rows() + log_blowup);
    let options =
        CircleOptions { pow_bits: 4, log_blowup, queries: 16, fold_step, lifting, ..CircleOptions::default() };
    let trace = statement.trace().into();
    Case { air: Arc::new(statement), trace, options }
}
