//! What is proven: random statements of either protocol, with options.

use std::sync::Arc;

use adversary::{Bounds, Violation, circle, goldilocks};
use circle_air::Statement as _;
use circle_proof::CircleOptions;

use crate::air::{Air as _, Trace};
use crate::hal::{CircleStark, FaultyHook, HashFn};
use crate::measure::FaultyDevice;
use crate::{Device, Driven, Error, Follow, Goldilocks3, ProofOptions, Proven};

/// A statement with a trace.
pub(super) struct Case<F: Driven> {
    air: Arc<F::Air>,
    trace: F::Trace,
    options: F::Options,
}

impl<F: Driven> Case<F> {
    /// Proves it. The proof is verified.
    pub(super) fn prove(&self, device: &Device<F>, follow: &Follow<'_>) -> Result<Proven<F>, Error> {
        device.prove_air_with(self.air.clone(), &self.trace, self.options.clone(), follow)
    }

    /// The same on a device with faults; and whether they struck.
    pub(super) fn prove_with_faults(
        &self,
        device: &mut FaultyDevice<F>,
        arm: impl FnOnce(&FaultyHook),
    ) -> (Result<Proven<F>, Error>, bool) {
        device.prove_air_with(self.air.clone(), &self.trace, self.options.clone(), arm)
    }
}

/// A protocol that has random statements.
pub(super) trait Soaked: Driven {
    /// The true statement of a seed.
    fn truth(seed: u64, bounds: &Bounds) -> Case<Self>;

    /// The same with a trace that does not satisfy it, each with what was changed.
    fn lies(seed: u64, bounds: &Bounds) -> Vec<(String, Case<Self>)>;
}

/// Those of the violations that are in the trace.
fn lies_of<S, F: Driven>(violations: Vec<Violation<S>>, case: impl Fn(S) -> Case<F>) -> Vec<(String, Case<F>)> {
    let of_trace = violations.into_iter().filter(|violation| violation.what.is_of_trace());
    of_trace.map(|violation| (violation.what.to_string(), case(violation.statement))).collect()
}

impl Soaked for Goldilocks3 {
    fn truth(seed: u64, bounds: &Bounds) -> Case<Self> {
        goldilocks_case(goldilocks::Statement::draw(seed, bounds), seed)
    }

    fn lies(seed: u64, bounds: &Bounds) -> Vec<(String, Case<Self>)> {
        lies_of(goldilocks::Statement::draw(seed, bounds).violations(seed), |statement| {
            goldilocks_case(statement, seed)
        })
    }
}

fn goldilocks_case(statement: goldilocks::Statement, seed: u64) -> Case<Goldilocks3> {
    let parts = u32::try_from(statement.layout().composition_parts.next_power_of_two()).unwrap_or(u32::MAX);
    let hash = if seed.is_multiple_of(4) { HashFn::Poseidon2 } else { HashFn::Keccak256 };
    let options = ProofOptions { blowup: parts.max(2), queries: 16, grinding: 4, coset_offset: 3, hash };
    let trace: Trace<_> = statement.trace();
    Case { air: Arc::new(statement), trace, options }
}

impl Soaked for CircleStark {
    fn truth(seed: u64, bounds: &Bounds) -> Case<Self> {
        circle_case(circle::Statement::draw(seed, bounds), seed)
    }

    fn lies(seed: u64, bounds: &Bounds) -> Vec<(String, Case<Self>)> {
        lies_of(circle::Statement::draw(seed, bounds).violations(seed), |statement| circle_case(statement, seed))
    }
}

fn circle_case(statement: circle::Statement, seed: u64) -> Case<CircleStark> {
    let [blowup, fold] = [seed % 2, seed % 3].map(|number| number as u32);
    let (log_blowup, fold_step) = (1 + blowup, 1 + fold);
    // Trees of one height, those of lookups included, which may all be in low components.
    let has_preprocessed = !statement.preprocessed(None).is_empty();
    let lifting = has_preprocessed.then_some(statement.log_rows() + log_blowup);
    let options = CircleOptions { pow_bits: 4, log_blowup, queries: 16, fold_step, log_last: 0, lifting };
    let trace = statement.trace().into();
    Case { air: Arc::new(statement), trace, options }
}
