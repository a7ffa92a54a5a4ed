//! Measuring the Goldilocks protocol.

use std::collections::BTreeMap;
use std::sync::Arc;

use air::airs::{self, ExampleAir};
use air::{AirError, GroupRole};
use field::{Field, Fp3, Goldilocks};
use gpu_hal::work::Prices;
use gpu_hal::{Basis, CosetDomain, EvalOrder, HashFn};
use prover_core::goldilocks::Composition;

use crate::measurable::{Evaluation, Measurable, Ratio};
use crate::shapes::{Example, LOG_BLOWUP, Shape};
use crate::{Error, Goldilocks3};

/// Main columns, an auxiliary one, multipliers, result.
const FIBONACCI_RAP: Example =
    Example { name: "fibonacci-rap", parameters: &[], width: 2 + Goldilocks3::COLUMNS + 3 + Goldilocks3::COLUMNS };
const WIDE: Example =
    Example { name: "wide", parameters: &[("width", 64), ("degree", 3)], width: 64 + 2 + Goldilocks3::COLUMNS };

/// Why an example was refused.
fn refused(example: Example, error: AirError) -> Error {
    Error::Example { name: example.name, source: error.into() }
}

/// An example of `2^log` rows.
fn air(example: Example, log: u32) -> Result<Arc<dyn ExampleAir<Goldilocks3>>, Error> {
    let parameters: BTreeMap<String, u64> =
        example.parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    airs::build(example.name, 1 << log, &parameters).map_err(|error| refused(example, error))
}

impl Measurable for Goldilocks3 {
    const PRICES: Prices = Prices::GOLDILOCKS;
    const PRODUCTS: Option<f64> = Some(1070.0);
    const HASH: HashFn = HashFn::Keccak256;
    const RATIO: &'static str = FIBONACCI_RAP.name;

    fn shapes() -> Vec<Shape> {
        let ratio = Self::RATIO;
        vec![
            Shape::Upload { width: 64, log: 20 },
            Shape::Download { width: 64, log: 20 },
            Shape::CopyTo { width: 64, log: 20 },
            Shape::Sync,
            Shape::Ntt { width: 16, log: 24, inverse: false, on_rows: true },
            Shape::Ntt { width: 16, log: 24, inverse: false, on_rows: false },
            Shape::Ntt { width: 16, log: 24, inverse: true, on_rows: false },
            Shape::Ntt { width: 256, log: 20, inverse: false, on_rows: true },
            Shape::Ntt { width: 256, log: 20, inverse: false, on_rows: false },
            Shape::Lde { width: 64, log: 20, from_rows: false },
            Shape::Lde { width: 64, log: 20, from_rows: true },
            Shape::UploadLde { width: 64, log: 20 },
            Shape::Split { log: 22 },
            Shape::Select { width: 64, log: 20 },
            Shape::Merkle { hash: HashFn::Keccak256, width: 8, log: 24 },
            Shape::Merkle { hash: HashFn::Poseidon2, width: 8, log: 24 },
            Shape::Root { log: 20 },
            Shape::Open { width: 8, log: 20 },
            Shape::Prepare { example: WIDE },
            Shape::Running { ratio, is_logup: false, log: 22 },
            Shape::Running { ratio, is_logup: true, log: 22 },
            Shape::Constraints { example: FIBONACCI_RAP, log: 22 },
            Shape::Constraints { example: WIDE, log: 20 },
            Shape::EvalAt { width: 64, log: 20 },
            Shape::Deep { width: 64, log: 22 },
            Shape::Fold { log: 24, on_line: false },
            Shape::Grind { bits: 24 },
        ]
    }

    fn domain(log: u32) -> CosetDomain<Goldilocks> {
        CosetDomain::new(Goldilocks::new(3), log)
    }

    fn rows(log: u32) -> Basis<CosetDomain<Goldilocks>> {
        Basis::Evaluations { domain: CosetDomain::subgroup(log), order: EvalOrder::Row }
    }

    fn evaluated(log: u32) -> Basis<CosetDomain<Goldilocks>> {
        Self::rows(log)
    }

    fn layer(log: u32, _on_line: bool) -> CosetDomain<Goldilocks> {
        Self::domain(log)
    }

    fn point(element: Fp3) -> Fp3 {
        element
    }

    fn ratio() -> Result<Ratio<Self>, Error> {
        // The program does not depend on the rows.
        let air = air(FIBONACCI_RAP, 4)?;
        let recorded = air::record(&*air).map_err(|error| refused(FIBONACCI_RAP, error))?;
        let spec = recorded.running().cloned().expect("fibonacci-rap has a running column");
        Ok(Ratio { program: spec.program, columns: spec.columns })
    }

    fn evaluation(example: Example, log: u32) -> Result<Evaluation<Self>, Error> {
        let air = air(example, log)?;
        let recorded = air::record(&*air).map_err(|error| refused(example, error))?;
        let log_lde = log + LOG_BLOWUP;
        let height = |role: &GroupRole| match role {
            GroupRole::Periodic { log_period } => log_period + LOG_BLOWUP,
            _ => log_lde,
        };
        Ok(Evaluation {
            program: recorded.constraints().clone(),
            heights: recorded.groups().iter().map(height).collect(),
            domain: Self::domain(log_lde),
            log_trace: log,
            log_eval: match Composition::of(&recorded, LOG_BLOWUP) {
                Composition::Direct => log_lde,
                Composition::Prefix { log_eval } => log_eval,
            },
            // The work does not depend on the challenge.
            combination: recorded.combination(Fp3::ONE),
        })
    }
}
