//! How far a proof is, and how long it will take: by what its stages cost on the processor, and by how fast those were that are done.

use std::time::Duration;

use crate::Stage;
use crate::prover::Phase;

/// What the time of a proof depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Rows of the trace.
    pub(crate) rows: u64,
    /// Bits of proof of work.
    pub(crate) work_bits: u32,
}

/// The share of a proof that is done, and the time that the rest will take, if that can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) done: f64,
    pub(crate) left: Option<Duration>,
}

/// A hash of the proof of work, and the verification, next to a row of a phase that extends columns and hashes them.
const HASH: f64 = 0.1;
const VERIFICATION: f64 = 4000.0;

/// What a stage costs. Only ratios count, and only about: whatever the machine is, they are corrected by what it did so far.
fn cost(stage: Stage, size: Size) -> f64 {
    let rows = size.rows as f64;
    match stage {
        Stage::Wait => 0.0,
        Stage::Trace => rows * 0.2,
        Stage::Prove(Phase::Main | Phase::Auxiliary) => rows,
        Stage::Prove(Phase::Composition | Phase::Fri) => rows * 0.6,
        Stage::Prove(Phase::OutOfDomain) => rows * 0.1,
        Stage::Prove(Phase::Deep) => rows * 0.4,
        // As many hashes as are expected.
        Stage::Prove(Phase::Grinding) => f64::from(size.work_bits).exp2() * HASH,
        Stage::Prove(Phase::Openings) => rows * 0.01,
        Stage::Verify => VERIFICATION,
    }
}

/// How far a proof is.
#[derive(Debug)]
pub(crate) struct Estimate {
    /// The stages and their costs, in order.
    costs: Vec<(Stage, f64)>,
    total: f64,
    /// Cost of the stages that are done.
    done: f64,
    /// The stage that is being done, by its place in the order, and when it began.
    now: Option<(usize, Duration)>,
}

impl Estimate {
    pub(crate) fn new(size: Size) -> Self {
        let costs: Vec<_> = Stage::all().map(|stage| (stage, cost(stage, size))).collect();
        Self { total: costs.iter().map(|(_, cost)| cost).sum(), costs, done: 0.0, now: None }
    }

    /// A stage begins, so long after the first one.
    pub(crate) fn begin(&mut self, stage: Stage, at: Duration) {
        let Some(index) = self.costs.iter().position(|(other, _)| *other == stage) else { return };
        let next = match self.now {
            Some((before, _)) if before >= index => return,
            Some((before, _)) => {
                self.done += self.costs[before].1;
                before + 1
            }
            None => 0,
        };
        // Stages that a statement has no need of cost nothing.
        self.total -= self.costs[next..index].iter().map(|(_, cost)| cost).sum::<f64>();
        self.now = Some((index, at));
    }

    /// How far it is so long after the beginning. A stage that takes longer than those before it promised comes ever nearer to its end.
    pub(crate) fn share(&self, at: Duration) -> Share {
        let Some((index, began)) = self.now else { return Share { done: 0.0, left: None } };
        let (cost, before) = (self.costs[index].1, began.as_secs_f64());
        if self.done <= 0.0 || before <= 0.0 || cost <= 0.0 {
            return Share { done: self.done / self.total, left: None };
        }
        let expected = cost * before / self.done;
        let within = 1.0 - (-at.saturating_sub(began).as_secs_f64() / expected).exp();
        let done = (self.done + cost * within) / self.total;
        let left = at.as_secs_f64() * (1.0 - done) / done;
        Share { done, left: Duration::try_from_secs_f64(left).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { rows: 1 << 20, work_bits: 20 };

    #[test]
    fn a_share_grows_and_time_runs_out() {
        let mut estimate = Estimate::new(SIZE);
        assert_eq!(estimate.share(Duration::ZERO), Share { done: 0.0, left: None });
        let (mut last, mut seconds) = (0.0, 0.0);
        for stage in Stage::all() {
            estimate.begin(stage, Duration::from_secs_f64(seconds));
            let took = cost(stage, SIZE) / 1e5;
            for part in [0.0, 0.5, 1.0, 3.0] {
                let share = estimate.share(Duration::from_secs_f64(seconds + took * part));
                assert!((last..=1.0).contains(&share.done), "{stage:?}: {share:?} after {last}");
                // What is done is at most the stage, however long it takes.
                last = if part < 3.0 { share.done } else { last };
            }
            seconds += took;
        }
        let left = estimate.share(Duration::from_secs_f64(seconds)).left.expect("the last stage knows");
        assert!(last > 0.99 && left.as_secs_f64() < seconds / 100.0, "{last} {left:?} of {seconds}");
    }

    #[test]
    fn stages_that_are_left_out_take_no_share() {
        let mut estimate = Estimate::new(Size { work_bits: 0, ..SIZE });
        estimate.begin(Stage::Prove(Phase::Main), Duration::ZERO);
        estimate.begin(Stage::Prove(Phase::Grinding), Duration::from_secs(10));
        estimate.begin(Stage::Wait, Duration::from_secs(10));
        let share = estimate.share(Duration::from_secs(10));
        assert!(share.done > 0.9, "{share:?}");
    }

    #[test]
    fn grinding_costs_what_is_expected_of_it() {
        let share = |work_bits| {
            let mut estimate = Estimate::new(Size { rows: 1 << 10, work_bits });
            estimate.begin(Stage::Prove(Phase::Main), Duration::ZERO);
            estimate.begin(Stage::Prove(Phase::Grinding), Duration::from_secs(1));
            estimate.share(Duration::from_secs(1)).done
        };
        assert!(share(4) > 0.1 && share(26) < 1e-3, "{} {}", share(4), share(26));
    }
}
