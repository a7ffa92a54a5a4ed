//! The work of the stages of a proof: of its operations where a rehearsal has them, else by the rows.

use gpu_hal::Operation;
use gpu_hal::rehearsal::Step;
use gpu_hal::work;

use crate::protocol::CommandLine;
use sdk::prover::Phase;
use sdk::{ReadyAir, Stage};

/// A stage: seconds that it is thought to take, and the elements of it that the processor counts, 0 if it counts none.
#[derive(Clone, Copy, Debug)]
struct Work {
    stage: Stage,
    seconds: f64,
    elements: u64,
}

/// The work of all stages, in order.
#[derive(Clone, Debug)]
pub(crate) struct Plan(Vec<Work>);

/// A program in the Cairo virtual machine takes about so long a row of its proof, and its proof.
const SECONDS_A_ROW: f64 = 4e-6;
/// The sum-checks of a tree take about so long a leaf.
const SECONDS_A_LEAF: f64 = 2e-7;
/// A hash of the proof of work on a core.
const SECONDS_A_HASH: f64 = 1e-8;
const VERIFICATION: f64 = 0.005;
/// A build with its assertions is slower by about this factor.
const ASSERTING: f64 = 2.0;
/// A GPU is faster than a core of a processor by about this factor.
const FASTER: f64 = 500.0;

impl Plan {
    /// Seconds and elements of each stage.
    pub(crate) fn of(work: impl Fn(Stage) -> (f64, u64)) -> Self {
        let stages = Stage::all().map(|stage| {
            let (seconds, elements) = work(stage);
            Work { stage, seconds, elements }
        });
        Self(stages.collect())
    }

    /// Trees over columns that have `rows` rows together.
    pub(crate) fn of_trees(rows: u64) -> Self {
        Self::of(|stage| match stage {
            Stage::Prove(Phase::Layers) => (rows as f64 * SECONDS_A_LEAF / 4.0, 0),
            Stage::Prove(Phase::Sumchecks) => (rows as f64 * SECONDS_A_LEAF, 0),
            _ => (0.0, 0),
        })
    }

    /// A proof of `rows` rows and `work_bits` bits of work, of which nothing else is known.
    pub(crate) fn by_rows(rows: u64, work_bits: u32) -> Self {
        Self::of(|stage| {
            let share = match stage {
                Stage::Columns | Stage::Wait | Stage::Prove(Phase::Layers | Phase::Sumchecks) => 0.0,
                Stage::Trace => 0.2,
                Stage::Prove(Phase::Main | Phase::Auxiliary) => 1.0,
                Stage::Prove(Phase::Composition | Phase::Fri) => 0.6,
                Stage::Prove(Phase::OutOfDomain) => 0.1,
                Stage::Prove(Phase::Deep) => 0.4,
                Stage::Prove(Phase::Grinding) => return (hashes(work_bits), 0),
                Stage::Prove(Phase::Openings) => 0.01,
                Stage::Verify => return (VERIFICATION, 0),
            };
            (share * rows as f64 * SECONDS_A_ROW, 0)
        })
    }

    /// A proof on a device, of the host or not, by the operations that it is made of; `None` if they are not known.
    pub(crate) fn of_ready<F: CommandLine>(ready: &ReadyAir<'_, F>, (is_host, work_bits): (bool, u32)) -> Option<Self> {
        let (steps, generated) = (ready.steps().ok()?, ready.generates());
        let efforts = efforts::<F>(&steps, 1u64.checked_shl(work_bits).unwrap_or(u64::MAX));
        let threads = std::thread::available_parallelism().map_or(1.0, |threads| threads.get() as f64);
        let slower = if cfg!(debug_assertions) { ASSERTING } else { 1.0 };
        let scale = if is_host { slower / threads } else { 1.0 / FASTER };
        let phases = phases(&steps);
        // The host makes an element of a trace in some nanoseconds, on one core.
        let uploaded = ready.footprint().upload_bytes as f64;
        Some(Self::of(|stage| match stage {
            Stage::Columns | Stage::Wait => (0.0, 0),
            Stage::Trace => (if generated { 0.0 } else { uploaded * 1e-9 * slower }, 0),
            Stage::Verify => (VERIFICATION, 0),
            Stage::Prove(phase) => {
                let of = || phases.iter().enumerate().filter(|(_, found)| **found == phase).map(|(at, _)| at);
                let elements = if is_host { of().map(|at| steps[at].cost.progress).sum() } else { 0 };
                (of().map(|at| efforts[at]).sum::<f64>() * scale, elements)
            }
        }))
    }

    /// The place of a stage.
    pub(crate) fn place(&self, stage: Stage) -> Option<usize> {
        self.0.iter().position(|work| work.stage == stage)
    }

    /// The expected time of the stage at a place.
    pub(crate) fn seconds(&self, place: usize) -> f64 {
        self.0[place].seconds
    }

    /// The processor's count for it.
    pub(crate) fn elements(&self, place: usize) -> u64 {
        self.0[place].elements
    }

    /// The expected time of all stages.
    pub(crate) fn total(&self) -> f64 {
        self.0.iter().map(|work| work.seconds).sum()
    }
}

/// Nanoseconds of one core, with vectors of 256 bits.
const NS_BYTE: f64 = 0.1;
/// For each byte of an element.
const NS_PRODUCT: f64 = 0.03;
const NS_KECCAK: f64 = 120.0;
const NS_BLAKE2S: f64 = 35.0;
const NS_HADES: f64 = 500.0;
/// Levels of a transform between two trips to memory.
const LEVELS: u32 = 16;

/// About how long the operations of a proof take on one core of a processor, each in seconds. Only ratios are of use:
/// they show how far a proof is. `nonce` is about that of the proof.
fn efforts<F: CommandLine>(steps: &[Step], nonce: u64) -> Vec<f64> {
    let seconds = |step: &Step| {
        let work = work::Work::of(&F::PRICES, &step.cost, nonce, LEVELS);
        let moved = (work.bytes + work.link_bytes) * NS_BYTE;
        let hashed = work.keccak * NS_KECCAK + work.blake2s * NS_BLAKE2S + work.hades * NS_HADES;
        let computed = work.products * NS_PRODUCT * F::PRICES.element as f64 + hashed;
        (moved + computed) * 1e-9
    };
    steps.iter().map(seconds).collect()
}

/// As many hashes as are expected.
fn hashes(work_bits: u32) -> f64 {
    f64::from(work_bits).exp2() * SECONDS_A_HASH
}

/// The phase of each operation: they come in the order of the phases, and begin with one that only their phase has.
fn phases(steps: &[Step]) -> Vec<Phase> {
    let mut phase = Phase::Main;
    let mut is_committed = false;
    let of_step = |step: &Step| {
        let next = match step.operation {
            Operation::ConstraintEval => Phase::Composition,
            Operation::EvalAt => Phase::OutOfDomain,
            Operation::DeepQuotient => Phase::Deep,
            Operation::FriFold => Phase::Fri,
            Operation::Grind => Phase::Grinding,
            Operation::Open => Phase::Openings,
            // Work after the first tree and before the constraints.
            _ if is_committed && phase == Phase::Main => Phase::Auxiliary,
            _ => phase,
        };
        phase = phase.max(next);
        is_committed |= step.operation == Operation::Merkle;
        phase
    };
    steps.iter().map(of_step).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ops::ControlFlow;

    use super::*;
    use sdk::hal::CircleStark;
    use sdk::{Device, Goldilocks3, Ready as _, Request};

    /// Proves with the plan, and compares its figure for the main trace with the count.
    fn check<F: CommandLine>(air: &str, parameters: &[(&str, u64)]) {
        let device = Device::<F>::open("cpu", Some(2)).unwrap();
        let mut request = Request::new(air, 1 << 10);
        request.parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let counts = RefCell::new(Vec::new());
        let ready = device.ready(&request).unwrap();
        let plan = Plan::of_ready(&ready, (true, 10)).expect("the operations are known");
        let follow = |stage| {
            counts.borrow_mut().push((stage, sdk::backend_cpu::elements_done()));
            ControlFlow::Continue(())
        };
        ready.prove(&follow).unwrap();
        let main = plan.place(Stage::Prove(Phase::Main)).unwrap();
        let counts = counts.into_inner();
        let at = counts.iter().position(|(stage, _)| *stage == Stage::Prove(Phase::Main)).unwrap();
        // A stage that lasts is told again.
        let after = counts[at..].iter().find(|(stage, _)| *stage != Stage::Prove(Phase::Main)).unwrap();
        let counted = after.1 - counts[at].1;
        // Other tests of this process count, too.
        assert!(plan.elements(main) > 0 && counted >= plan.elements(main), "{air}: {counted} {plan:?}");
        let proof = plan.total() - plan.seconds(plan.place(Stage::Verify).unwrap());
        assert!(plan.seconds(main) > proof * 0.5, "{air}: most is in the main trace: {plan:?}");
    }

    #[test]
    fn what_is_planned_is_counted() {
        check::<CircleStark>("wide-fibonacci", &[("w", 200)]);
        check::<Goldilocks3>("wide", &[("width", 200), ("degree", 2)]);
    }
}
