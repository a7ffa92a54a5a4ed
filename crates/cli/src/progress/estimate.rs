//! How far a proof is, and how long it will take: by the work of its stages, by the part of it that the processor has
//! counted, and by how fast the stages were that are done.

use std::time::Duration;

use super::plan::Plan;
use sdk::Stage;

/// The share of a proof that is done, and the time that the rest will take, if that can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) done: f64,
    pub(crate) left: Option<Duration>,
}

/// The share of a counted stage that is left when all of it is counted: it is not over.
const REST: f64 = 0.02;

/// A stage that is being done.
#[derive(Clone, Copy, Debug)]
struct CurrentStage {
    /// Its place in the order.
    index: usize,
    /// When it began.
    began: Duration,
    /// The count before.
    counted: u64,
}

/// How far a proof is.
#[derive(Debug)]
pub(crate) struct Estimate {
    plan: Plan,
    /// The stages that a statement has no need of.
    left_out: f64,
    /// Work of the stages that are done.
    done: f64,
    now: Option<CurrentStage>,
    /// The largest share that was told: it never falls.
    told: f64,
}

impl Estimate {
    pub(crate) fn new(plan: Plan) -> Self {
        Self { plan, left_out: 0.0, done: 0.0, now: None, told: 0.0 }
    }

    /// More is known of the work, before the first stage.
    pub(crate) fn plan(&mut self, plan: Plan) {
        self.plan = plan;
    }

    /// A stage begins, at this time after the first one, at this count.
    pub(crate) fn begin(&mut self, stage: Stage, at: Duration, counted: u64) {
        let Some(index) = self.plan.place(stage) else { return };
        let next = match self.now {
            Some(now) if now.index >= index => return,
            Some(now) => {
                self.done += self.plan.seconds(now.index);
                now.index + 1
            }
            None => 0,
        };
        self.left_out += (next..index).map(|left_out| self.plan.seconds(left_out)).sum::<f64>();
        self.now = Some(CurrentStage { index, began: at, counted });
    }

    /// The progress at this time after the beginning, at this count. A stage that takes longer than was expected comes
    /// ever nearer to its end.
    pub(crate) fn share(&mut self, at: Duration, counted: u64) -> Share {
        let Some(now) = self.now else { return Share { done: 0.0, left: None } };
        let (work, before) = (self.plan.seconds(now.index), now.began.as_secs_f64());
        let within = at.saturating_sub(now.began).as_secs_f64();
        // Until a stage is done, nobody knows how fast the machine is; the plan has a guess.
        let expected = if self.done > 0.0 && before > 0.0 { work * before / self.done } else { work };
        let by_time = if expected > 0.0 { 1.0 - (-within / expected).exp() } else { 0.0 };
        let part = match (self.plan.elements(now.index), counted.saturating_sub(now.counted)) {
            // Other devices count nothing.
            (0, _) | (_, 0) => by_time,
            (all, some) => (some as f64 / all as f64).min(1.0) * (1.0 - REST) + by_time * REST,
        };
        let total = (self.plan.total() - self.left_out).max(f64::MIN_POSITIVE);
        let done = ((self.done + work * part) / total).clamp(self.told, 1.0);
        self.told = done;
        let left = at.as_secs_f64() * (1.0 - done) / done;
        let is_known = done >= LEAST_KNOWN;
        Share { done, left: Duration::try_from_secs_f64(left).ok().filter(|_| is_known) }
    }
}

/// Below that, the rest is no more than a guess.
const LEAST_KNOWN: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::prover::Phase;

    /// As of a wide statement: most of it is the main trace.
    fn wide() -> Plan {
        Plan::of(|stage| match stage {
            Stage::Prove(Phase::Main) => (85.0, 1000),
            Stage::Prove(Phase::Composition) => (10.0, 0),
            Stage::Verify => (5.0, 0),
            _ => (0.0, 0),
        })
    }

    #[test]
    fn the_share_of_a_wide_proof_is_that_of_its_time() {
        // Three times as slow as planned, and counted all along.
        let mut estimate = Estimate::new(wide());
        estimate.begin(Stage::Prove(Phase::Main), Duration::ZERO, 500);
        for part in 0..=10u64 {
            let at = Duration::from_secs_f64(85.0 * 3.0 * part as f64 / 10.0);
            let share = estimate.share(at, 500 + 100 * part);
            let expected = 0.85 * part as f64 / 10.0;
            assert!((share.done - expected).abs() < 0.03, "{part}: {share:?}");
            if part >= 2 {
                let left = share.left.expect("it is known").as_secs_f64();
                assert!((left - 300.0 * (1.0 - expected)).abs() < 30.0, "{part}: {left}");
            }
        }
    }

    #[test]
    fn a_device_that_counts_nothing_is_followed_by_its_time() {
        let mut estimate = Estimate::new(wide());
        estimate.begin(Stage::Prove(Phase::Main), Duration::ZERO, 0);
        let shares = [0, 40, 85, 170].map(|at| estimate.share(Duration::from_secs(at), 0).done);
        assert!(shares[0] == 0.0 && shares[1] > 0.2 && shares[2] > 0.4 && shares[3] < 0.85, "{shares:?}");
        estimate.begin(Stage::Prove(Phase::Composition), Duration::from_secs(170), 0);
        let share = estimate.share(Duration::from_secs(180), 0);
        // The machine was half as fast as planned: of 20 seconds 10 are over.
        assert!((0.86..0.95).contains(&share.done), "{share:?}");
    }

    #[test]
    fn stages_that_are_left_out_take_no_share() {
        let mut estimate = Estimate::new(wide());
        estimate.begin(Stage::Prove(Phase::Composition), Duration::ZERO, 0);
        estimate.begin(Stage::Verify, Duration::from_secs(10), 0);
        estimate.begin(Stage::Wait, Duration::from_secs(10), 0);
        let share = estimate.share(Duration::from_secs(10), 0);
        assert!((share.done - 10.0 / 15.0).abs() < 0.01, "{share:?}");
    }

    #[test]
    fn what_is_done_is_not_undone() {
        let mut estimate = Estimate::new(wide());
        assert_eq!(estimate.share(Duration::ZERO, 0), Share { done: 0.0, left: None });
        estimate.begin(Stage::Prove(Phase::Main), Duration::ZERO, 0);
        let most = estimate.share(Duration::from_secs(1), 5000).done;
        estimate.begin(Stage::Prove(Phase::Composition), Duration::from_secs(2), 5000);
        let next = estimate.share(Duration::from_secs(2), 5000).done;
        assert!(most <= 0.85 && next >= most, "{most} {next}");
    }
}
