//! The proven cases: random statements of either protocol, with options.

use std::sync::Arc;

use adversary::{Bounds, Violation, circle, goldilocks};
use circle_air::Statement as _;
use circle_proof::CircleOptions;

use sdk::air::{Air as _, Trace};
use sdk::goldilocks::{AnyOptions, Extras, Masks, lambdaworks};
use sdk::goldilocks_proof::Suite;
use sdk::hal::CircleStark;
use sdk::{AirStatement, Device, Error, Follow, Goldilocks3, Profile, ProofSystem, Proven};

/// A statement with a trace.
pub(super) struct Case<F: ProofSystem> {
    air: Arc<F::Air>,
    trace: F::Trace,
    options: F::Options,
    extras: F::Extras,
}

impl<F: ProofSystem> Case<F> {
    /// Proves it. The proof is verified.
    pub(super) fn prove(&self, device: &Device<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        let statement = AirStatement::of_air(self.air.clone(), &self.trace, self.options.clone(), Profile::NONE)?;
        device.prove_with(&statement.with_extras(self.extras.clone()), follow)
    }
}

/// A true statement and lies about it.
pub(super) struct DrawnStatement<F: ProofSystem> {
    pub(super) truth: Case<F>,
    /// The same with traces that do not satisfy it, each with the change.
    pub(super) lies: Vec<(String, Case<F>)>,
}

/// The violations that are in the trace.
fn lies_of<S, F: ProofSystem>(violations: Vec<Violation<S>>, case: impl Fn(S) -> Case<F>) -> Vec<(String, Case<F>)> {
    let of_trace = violations.into_iter().filter(|violation| violation.what.is_of_trace());
    of_trace.map(|violation| (violation.what.to_string(), case(violation.statement))).collect()
}

impl DrawnStatement<Goldilocks3> {
    /// The random statement of a seed, and lies about it: of three seeds one gives proofs of lambdaworks' format, one
    /// compact ones, and one compact ones that hide their witness, where the trace is long enough for masks.
    pub(super) fn goldilocks(seed: u64, bounds: &Bounds) -> Self {
        let drawn = goldilocks::Statement::draw(seed, bounds);
        let hidden = if seed % 3 == 2 { drawn.clone().hidden(seed) } else { None };
        let (truth, options): (_, AnyOptions) = match hidden {
            Some((freed, options)) => (freed, options.into()),
            None if seed.is_multiple_of(3) => (drawn.clone(), lambdaworks_options(&drawn, seed).into()),
            None => (drawn.clone(), drawn.compact_options(seed).into()),
        };
        let lies = lies_of(truth.violations(seed), |lie| goldilocks_case(lie, &options, seed));
        Self { truth: goldilocks_case(truth, &options, seed), lies }
    }
}

fn lambdaworks_options(statement: &goldilocks::Statement, seed: u64) -> lambdaworks::Options {
    let parts = u32::try_from(statement.layout().composition_parts.next_power_of_two()).unwrap_or(u32::MAX);
    // All seeds of one run are odd, or all are even.
    let suite = if (seed >> 1).is_multiple_of(4) { Suite::Poseidon2 } else { Suite::Keccak256 };
    lambdaworks::Options { blowup: parts.max(2), queries: 16, grinding: 4, coset_offset: 3, suite }
}

/// Both devices have the masks of the seed: what they hide here is no secret.
fn goldilocks_case(statement: goldilocks::Statement, options: &AnyOptions, seed: u64) -> Case<Goldilocks3> {
    let masks = Masks([seed.to_le_bytes(); 4].concat().try_into().unwrap_or_default());
    let trace: Trace<_> = statement.trace();
    let extras = Extras { masks: Some(masks), ..Extras::default() };
    Case { air: Arc::new(statement), trace, options: options.clone(), extras }
}

impl DrawnStatement<CircleStark> {
    /// The random statement of a seed, and lies about it.
    pub(super) fn circle(seed: u64, bounds: &Bounds) -> Self {
        let truth = circle::Statement::draw(seed, bounds);
        let lies = lies_of(truth.violations(seed), |lie| circle_case(lie, seed));
        Self { truth: circle_case(truth, seed), lies }
    }
}

fn circle_case(statement: circle::Statement, seed: u64) -> Case<CircleStark> {
    let [blowup, fold] = [(seed >> 1) % 2, seed % 3].map(|number| number as u32);
    let (log_blowup, fold_step) = (1 + blowup, 1 + fold);
    // Trees of one height, lookup columns included, which may all be in low components.
    let has_preprocessed = !statement.preprocessed(None).is_empty();
    let lifting = has_preprocessed.then_some(statement.log_rows() + log_blowup);
    let options =
        CircleOptions { pow_bits: 4, log_blowup, queries: 16, fold_step, lifting, ..CircleOptions::default() };
    let trace = statement.trace().into();
    Case { air: Arc::new(statement), trace, options, extras: Default::default() }
}
