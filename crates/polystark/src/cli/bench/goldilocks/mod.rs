//! What measuring must know of the Goldilocks protocol.

mod proof;
mod statement;

use std::sync::Arc;

use polystark::air::{self, GroupRole};
use polystark::field::{Field, Fp3, Goldilocks};
use polystark::hal::{Basis, CosetDomain, EvalOrder, StarkBackend};
use polystark::prover::Composition;
use polystark::{Device, Error, Goldilocks3, HashFn, OwningTask, Request};

use super::Failure;
use super::clock::Wall;
use super::cost::Cost;
use super::measurable::{Evaluation, Measurable, Ratio};
use super::measure::{ClockedTask, on_gpu};
use super::shapes::{Example, LOG_BLOWUP, Shape};
use crate::cli::arguments::DeviceArguments;

/// Main columns, an auxiliary one, multipliers, result.
const FIBONACCI_RAP: Example =
    Example { name: "fibonacci-rap", parameters: &[], width: 2 + Goldilocks3::COLUMNS + 3 + Goldilocks3::COLUMNS };
const WIDE: Example =
    Example { name: "wide", parameters: &[("width", 64), ("degree", 3)], width: 64 + 2 + Goldilocks3::COLUMNS };

/// An example of `2^log` rows.
fn request(example: Example, log: u32) -> Request {
    let parameters = example.parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Request { parameters, ..Request::new(example.name, 1 << log) }
}

impl Measurable for Goldilocks3 {
    const HASH: HashFn = HashFn::Keccak256;
    const RATIO: &'static str = FIBONACCI_RAP.name;

    fn shapes() -> Vec<Shape> {
        let ratio = Self::RATIO;
        vec![
            Shape::Upload { width: 64, log: 20 },
            Shape::Download { width: 64, log: 20 },
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
            Shape::Running { ratio, log: 22 },
            Shape::Logup { ratio, log: 22 },
            Shape::Recurrence { log: 24 },
            Shape::Map { log: 24 },
            Shape::TreeMap { log: 24 },
            Shape::Accumulate { width: 64, log: 20 },
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
        let recorded = air::record(&*request(FIBONACCI_RAP, 4).build()?)?;
        let spec = recorded.running().cloned().expect("fibonacci-rap has a running column");
        Ok(Ratio { program: spec.program, columns: spec.columns })
    }

    fn evaluation<B: StarkBackend<P = Self>>(_: &B, example: Example, log: u32) -> Result<Evaluation<Self>, Error> {
        let request = request(example, log);
        let air = request.build()?;
        let recorded = air::record(&*air)?;
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

    fn with_clock<T: ClockedTask<Self>>(device: &DeviceArguments, task: T) -> Result<T::Output, Failure> {
        struct OnHost<T>(T);
        impl<T: ClockedTask<Goldilocks3>> OwningTask for OnHost<T> {
            type Output = T::Output;

            fn run<B: StarkBackend<P = Goldilocks3>>(self, backend: Arc<B>) -> Self::Output {
                self.0.run(backend, Wall)
            }
        }
        Ok(match device.open()? {
            Device::Cuda(backend) => on_gpu(backend, task),
            other => other.run_owning(OnHost(task)),
        })
    }
}
