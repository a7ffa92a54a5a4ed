//! What is being done, on a terminal, and how long it takes.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::Stage;

/// How long a stage took.
#[derive(Serialize)]
pub(crate) struct StageView {
    name: &'static str,
    seconds: f64,
}

/// The time of all stages.
pub(crate) fn seconds(stages: &[StageView]) -> f64 {
    stages.iter().map(|stage| stage.seconds).sum()
}

/// A clock of the stages of one proof.
#[derive(Default)]
pub(crate) struct Stages {
    times: Vec<(Stage, Duration)>,
    /// When the last one began or went on; `None` while nothing is done.
    since: Option<Instant>,
}

impl Stages {
    /// A stage begins, or goes on.
    pub(crate) fn begin(&mut self, stage: Stage) {
        self.pause();
        if self.times.last().is_none_or(|(last, _)| *last != stage) {
            self.times.push((stage, Duration::ZERO));
        }
        self.since = Some(Instant::now());
    }

    /// Nothing is done until a stage begins.
    pub(crate) fn pause(&mut self) {
        if let (Some(since), Some((_, time))) = (self.since.take(), self.times.last_mut()) {
            *time += since.elapsed();
        }
    }

    /// Everything is done.
    pub(crate) fn finish(&mut self) -> Vec<StageView> {
        self.pause();
        let view = |(stage, time): (Stage, Duration)| StageView { name: stage.name(), seconds: time.as_secs_f64() };
        std::mem::take(&mut self.times).into_iter().map(view).collect()
    }
}

/// A bar if standard error is a terminal and `wanted`.
pub(crate) fn bar(wanted: bool, length: usize) -> Option<ProgressBar> {
    (wanted && stderr().is_terminal()).then(|| {
        let bar = ProgressBar::new(length as u64);
        // The template is right; if it were not, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    })
}

/// Follows the stages: shows them on a terminal and keeps their times.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    stages: RefCell<Stages>,
}

impl Progress {
    /// Shows the stages if standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        Self { bar: bar(wanted, Stage::all().count()), stages: RefCell::default() }
    }

    /// A stage begins, or goes on.
    pub(crate) fn begin(&self, stage: Stage) {
        self.stages.borrow_mut().begin(stage);
        if let Some(bar) = &self.bar {
            // Stages that a statement has no need of are skipped.
            bar.set_position(Stage::all().position(|other| other == stage).unwrap_or(0) as u64 + 1);
            bar.set_message(stage.name());
        }
    }

    /// Everything is done: the time of each stage.
    pub(crate) fn finish(self) -> Vec<StageView> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.stages.borrow_mut().finish()
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn a_pause_belongs_to_no_stage() {
        let mut stages = Stages::default();
        stages.begin(Stage::Trace);
        stages.pause();
        sleep(Duration::from_millis(50));
        stages.begin(Stage::Trace);
        stages.begin(Stage::Verify);
        sleep(Duration::from_millis(5));
        let views = stages.finish();
        assert_eq!(views.iter().map(|view| view.name).collect::<Vec<_>>(), ["trace", "verification"]);
        assert!(views[0].seconds < 0.04 && views[1].seconds >= 0.005, "{} {}", views[0].seconds, views[1].seconds);
        assert!((seconds(&views) - views[0].seconds - views[1].seconds).abs() < 1e-9);
    }
}
