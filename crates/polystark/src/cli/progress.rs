//! What is being done, on a terminal, and how long it takes.

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::style::TemplateError;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;

use super::estimate::{Estimate, Share, Size};
use crate::Stage;
use crate::prover::Phase;

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

/// A line that is drawn again and again if standard error is a terminal and `wanted`.
fn line(wanted: bool, style: impl FnOnce() -> Result<ProgressStyle, TemplateError>) -> Option<ProgressBar> {
    (wanted && stderr().is_terminal()).then(|| {
        let bar = ProgressBar::new(WHOLE);
        // The template is right; if it were not, the default style would do.
        if let Ok(style) = style() {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    })
}

/// A bar if standard error is a terminal and `wanted`.
#[cfg(feature = "cairo")]
pub(crate) fn bar(wanted: bool, length: usize) -> Option<ProgressBar> {
    let bar = line(wanted, || ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})"))?;
    bar.set_length(length as u64);
    Some(bar)
}

/// The length of a bar that shows a share.
const WHOLE: u64 = 1000;

/// Follows a measurement: shows the share of it that is done, and the time that is left.
pub(crate) struct Measurement(Option<ProgressBar>);

impl Measurement {
    /// Shows it if standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        let left = |state: &ProgressState, out: &mut dyn fmt::Write| {
            let (done, spent) = (f64::from(state.fraction()), state.elapsed());
            // Whoever draws has nobody to tell that it can't be.
            let _ = out.write_str(&left(Share { done, left: (done > 0.0).then(|| spent.mul_f64(1.0 / done - 1.0)) }));
        };
        let template = "{spinner} {percent:>3} % {msg} ({elapsed}{left})";
        Self(line(wanted, || Ok(ProgressStyle::with_template(template)?.with_key("left", left))))
    }

    /// Something is measured next, after a share of the whole.
    pub(crate) fn tell(&self, what: &str, done: f64) {
        if let Some(bar) = &self.0 {
            bar.set_position((done * WHOLE as f64) as u64);
            bar.set_message(what.to_owned());
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// The remaining time in words.
fn left(share: Share) -> String {
    share.left.map_or_else(String::new, |left| format!(", about {} left", HumanDuration(left)))
}

/// Follows the stages: shows them on a terminal, with the share of the proof that is done, and keeps their times.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    stages: RefCell<Stages>,
    since: Instant,
    /// Whoever draws reads it on another thread.
    estimate: Arc<Mutex<Estimate>>,
    size: Size,
}

impl Progress {
    /// Shows the stages of a proof of that size if standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool, size: Size) -> Self {
        let (since, estimate) = (Instant::now(), Arc::new(Mutex::new(Estimate::new(size))));
        let drawn = estimate.clone();
        let share = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let spent = since.elapsed();
            let share = lock(&drawn).share(spent);
            // Whoever draws has nobody to tell that it can't be.
            let _ = write!(out, "({}{})", HumanDuration(spent), left(share));
        };
        let drawn = estimate.clone();
        let percent = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:3.0} %", lock(&drawn).share(since.elapsed()).done * 100.0);
        };
        let style = || {
            let style = ProgressStyle::with_template("{spinner} {share} {msg} {time}")?;
            Ok(style.with_key("share", percent).with_key("time", share))
        };
        Self { bar: line(wanted, style), stages: RefCell::default(), since, estimate, size }
    }

    /// A stage begins, or goes on.
    pub(crate) fn begin(&self, stage: Stage) {
        self.stages.borrow_mut().begin(stage);
        lock(&self.estimate).begin(stage, self.since.elapsed());
        if let Some(bar) = &self.bar {
            bar.set_message(message(stage, self.size));
        }
    }

    /// Says something by `say` while nothing is drawn.
    #[cfg(feature = "cairo")]
    pub(crate) fn suspend(&self, say: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
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

/// What is counted and estimated for those who wait is whole after each call: it stays what it is if a thread panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stage in words. How long grinding takes is luck.
fn message(stage: Stage, size: Size) -> String {
    match stage {
        Stage::Prove(Phase::Grinding) => format!("{}: 2^{} hashes expected", stage.name(), size.work_bits),
        _ => stage.name().to_owned(),
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
