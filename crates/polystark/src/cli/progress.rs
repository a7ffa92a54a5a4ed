//! What is being done, on a terminal.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::Stage;

/// Follows the stages: shows them on a terminal and keeps their times.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    stages: RefCell<Vec<(Stage, Instant)>>,
}

impl Progress {
    /// Shows the stages if standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        let bar = (wanted && stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(Stage::all().count() as u64);
            // The template is right; if it were not, the default style would do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Self { bar, stages: RefCell::new(Vec::new()) }
    }

    /// A stage begins, or goes on.
    pub(crate) fn begin(&self, stage: Stage) {
        let mut stages = self.stages.borrow_mut();
        if stages.last().is_none_or(|(last, _)| *last != stage) {
            stages.push((stage, Instant::now()));
        }
        if let Some(bar) = &self.bar {
            // Stages that a statement has no need of are skipped.
            bar.set_position(Stage::all().position(|other| other == stage).unwrap_or(0) as u64 + 1);
            bar.set_message(stage.name());
        }
    }

    /// Everything is done: the time of each stage.
    pub(crate) fn finish(self) -> Vec<(Stage, Duration)> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let stages = self.stages.take();
        let ends = stages.iter().skip(1).map(|(_, start)| *start).chain([Instant::now()]);
        stages.iter().zip(ends).map(|((stage, start), end)| (*stage, end - *start)).collect()
    }
}
