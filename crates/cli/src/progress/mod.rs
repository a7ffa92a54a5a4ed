//! The display of the work, on a terminal or in lines, with its time.

pub(crate) mod estimate;
pub(crate) mod plan;
pub(crate) mod telemetry;
pub(crate) mod ticker;

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::style::TemplateError;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;

use super::lock::lock;
use crate::progress::estimate::{Estimate, Share};
use crate::progress::plan::Plan;
use crate::progress::ticker::Ticker;
use sdk::Stage;
use sdk::backend_cpu::elements_done;
use sdk::prover::Phase;

/// How long a stage took.
#[derive(Serialize)]
pub(crate) struct StageView {
    name: &'static str,
    seconds: f64,
    /// The stage that it was beside, on another thread: its time is no part of the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<&'static str>,
}

/// The time of all stages, one after the other.
pub(crate) fn seconds(stages: &[StageView]) -> f64 {
    stages.iter().filter(|stage| stage.beside.is_none()).map(|stage| stage.seconds).sum()
}

/// A clock of the stages of one proof.
#[derive(Default)]
pub(crate) struct Stages {
    /// Each stage once, in the order in which they began.
    times: Vec<(Stage, Duration)>,
    /// The place of the one that began or went on last.
    at: usize,
    /// When the last one began or went on; `None` while nothing is done.
    since: Option<Instant>,
    /// The work of the device beside the trace.
    beside: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// A stage begins, or goes on: the one that is over with it, if another one was done, and its time.
    pub(crate) fn begin(&mut self, stage: Stage) -> Option<(Stage, Duration)> {
        let over = self.pause().filter(|(last, _)| *last != stage);
        self.at = self.times.iter().position(|(known, _)| *known == stage).unwrap_or(self.times.len());
        if self.at == self.times.len() {
            self.times.push((stage, Duration::ZERO));
        }
        self.since = Some(Instant::now());
        over
    }

    /// As [`Self::begin`], for a proof of many. From its trace on it waits for its turn: for its columns, too.
    pub(crate) fn begin_of_many(&mut self, stage: Stage) {
        if stage != Stage::Columns {
            self.begin(stage);
        }
    }

    /// Nothing is done until a stage begins. The one that was being done, if one was, and its time so far.
    pub(crate) fn pause(&mut self) -> Option<(Stage, Duration)> {
        let (since, last) = (self.since.take()?, self.times.get_mut(self.at)?);
        last.1 += since.elapsed();
        Some(*last)
    }

    /// The device has worked beside the trace, if it has.
    pub(crate) fn beside(&mut self, what: &'static str, took: Duration) {
        self.beside.extend((!took.is_zero()).then_some((what, took)));
    }

    /// Everything is done.
    pub(crate) fn finish(&mut self) -> Vec<StageView> {
        self.pause();
        let view = |name, time: Duration, beside| StageView { name, seconds: time.as_secs_f64(), beside };
        let beside = std::mem::take(&mut self.beside).into_iter();
        let beside = beside.map(|(what, time)| view(what, time, Some(Stage::Trace.name())));
        let stages = std::mem::take(&mut self.times).into_iter().map(|(stage, time)| view(stage.name(), time, None));
        stages.chain(beside).collect()
    }
}

/// How loud the program is about work that takes long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Not at all.
    #[default]
    Nothing,
    /// Its share on a terminal, and a line from time to time where there is none.
    Share,
    /// The same, and a line for each stage that is done.
    Stages,
}

/// The length of a bar that shows a share.
pub(crate) const WHOLE: u64 = 1000;

/// A line that is drawn again and again if standard error is a terminal.
pub(crate) fn line(
    detail: Detail,
    style: impl FnOnce() -> Result<ProgressStyle, TemplateError>,
) -> Option<ProgressBar> {
    (detail != Detail::Nothing && stderr().is_terminal()).then(|| {
        let bar = ProgressBar::new(WHOLE);
        // The template is right; if it were not, the default style would do.
        if let Ok(style) = style() {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    })
}

/// A line from time to time if standard error is no terminal.
pub(crate) fn lines(detail: Detail, say: impl Fn() -> String + Send + 'static) -> Option<Ticker> {
    (detail != Detail::Nothing && !stderr().is_terminal()).then(|| Ticker::new(Ticker::EVERY, stderr(), say))
}

/// Follows the parts of something that are done one by one: on a terminal by a bar, else by lines.
pub(crate) struct Parts {
    bar: Option<ProgressBar>,
    /// The number of finished ones, and the present work.
    state: Arc<Mutex<(usize, String)>>,
    _ticker: Option<Ticker>,
}

impl Parts {
    /// A display for `length` items.
    pub(crate) fn new(detail: Detail, length: usize) -> Self {
        let bar = line(detail, || ProgressStyle::with_template("{spinner} [{pos}/{len}] {msg} ({elapsed})"));
        bar.iter().for_each(|bar| bar.set_length(length as u64));
        let state: Arc<Mutex<(usize, String)>> = Arc::default();
        let (told_state, since) = (state.clone(), Instant::now());
        let say = move || {
            let (done, what) = &*lock(&told_state);
            format!("{done} of {length} done ({}): {what}", HumanDuration(since.elapsed()))
        };
        Self { bar, state, _ticker: lines(detail, say) }
    }

    /// The present work.
    pub(crate) fn tell(&self, what: String) {
        self.bar.iter().for_each(|bar| bar.set_message(what.clone()));
        lock(&self.state).1 = what;
    }

    /// One more is done: says so by `say`.
    pub(crate) fn end(&self, say: impl FnOnce()) {
        lock(&self.state).0 += 1;
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.suspend(say);
            }
            None => say(),
        }
    }

    /// Everything is done.
    pub(crate) fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// The remaining time in words.
pub(crate) fn left(share: Share) -> String {
    share.left.map_or_else(String::new, |left| format!(", about {} left", HumanDuration(left)))
}

/// How far a proof is, and in which stage: the display reads it on another thread.
struct StageState {
    estimate: Estimate,
    stage: String,
}

/// Follows the stages of a proof: shows the share of it that is done, and keeps the times of the stages.
pub(crate) struct Progress {
    detail: Detail,
    bar: Option<ProgressBar>,
    _ticker: Option<Ticker>,
    stages: RefCell<Stages>,
    since: Instant,
    state: Arc<Mutex<StageState>>,
    work_bits: u32,
}

impl Progress {
    /// A display for a proof of `rows` rows and `work_bits` bits of work, of which more may be known later.
    pub(crate) fn new(detail: Detail, rows: u64, work_bits: u32) -> Self {
        let estimate = Estimate::new(Plan::by_rows(rows, work_bits));
        let (since, state) =
            (Instant::now(), Arc::new(Mutex::new(StageState { estimate, stage: "getting ready".to_owned() })));
        let share = move |state: &mut StageState| state.estimate.share(since.elapsed(), elements_done());
        let drawn = state.clone();
        let time = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let share = share(&mut lock(&drawn));
            // An error of drawing has nobody to go to.
            let _ = write!(out, "({}{})", HumanDuration(since.elapsed()), left(share));
        };
        let drawn = state.clone();
        let percent = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:3.0} %", share(&mut lock(&drawn)).done * 100.0);
        };
        let style = || {
            let style = ProgressStyle::with_template("{spinner} {share} {msg} {time}")?;
            Ok(style.with_key("share", percent).with_key("time", time))
        };
        let line_state = state.clone();
        let say = move || {
            let mut state = lock(&line_state);
            let share = share(&mut state);
            let (percent, spent) = (share.done * 100.0, HumanDuration(since.elapsed()));
            format!("{percent:.0} %, {} ({spent}{})", state.stage, left(share))
        };
        let (bar, ticker) = (line(detail, style), lines(detail, say));
        Self { detail, bar, _ticker: ticker, stages: RefCell::default(), since, state, work_bits }
    }

    /// Whether anybody wants to know how far it is.
    pub(crate) fn is_told(&self) -> bool {
        self.detail != Detail::Nothing
    }

    /// More is known of the work.
    pub(crate) fn plan(&self, plan: Plan) {
        lock(&self.state).estimate.plan(plan);
    }

    /// A stage begins, or goes on.
    pub(crate) fn begin(&self, stage: Stage) {
        let message = message(stage, self.work_bits);
        let over = self.stages.borrow_mut().begin(stage);
        {
            let mut state = lock(&self.state);
            state.estimate.begin(stage, self.since.elapsed(), elements_done());
            state.stage.clone_from(&message);
        }
        self.say_over(over);
        self.bar.iter().for_each(|bar| bar.set_message(message.clone()));
    }

    /// The device has worked while the trace was computed, if it has.
    pub(crate) fn beside(&self, what: &'static str, took: Duration) {
        self.stages.borrow_mut().beside(what, took);
        if !took.is_zero() && self.detail == Detail::Stages {
            let text = format!("{what}, beside the {}: {:.3} s", Stage::Trace.name(), took.as_secs_f64());
            // Nobody may be reading.
            self.suspend(|| drop(writeln!(stderr(), "polystark: {text}")));
        }
    }

    /// A line about a stage that is over, if that is wanted.
    fn say_over(&self, over: Option<(Stage, Duration)>) {
        let Some((stage, time)) = over.filter(|_| self.detail == Detail::Stages) else { return };
        let say = || {
            // Nobody may be reading.
            let _ = writeln!(stderr(), "polystark: {}: {:.3} s", stage.name(), time.as_secs_f64());
        };
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Says something by `say` while nothing is drawn.
    pub(crate) fn suspend(&self, say: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Everything is done: the time of each stage.
    pub(crate) fn finish(self) -> Vec<StageView> {
        let over = self.stages.borrow_mut().pause();
        self.say_over(over);
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
        self.stages.borrow_mut().finish()
    }
}

/// A stage in words. How long grinding takes is luck.
fn message(stage: Stage, work_bits: u32) -> String {
    match stage {
        Stage::Prove(Phase::Grinding) => format!("{}: 2^{work_bits} hashes expected", stage.name()),
        _ => stage.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn a_stage_that_comes_again_goes_on() {
        let mut stages = Stages::default();
        stages.begin(Stage::Trace);
        stages.begin(Stage::Columns);
        stages.begin(Stage::Trace);
        sleep(Duration::from_millis(30));
        let views = stages.finish();
        assert_eq!(
            views.iter().map(|view| view.name).collect::<Vec<_>>(),
            ["trace", "waiting for preprocessed columns"]
        );
        assert!(views[0].seconds >= 0.03 && views[1].seconds < 0.03, "{} {}", views[0].seconds, views[1].seconds);
    }

    #[test]
    fn one_of_many_waits_for_its_columns_off_the_clock() {
        let mut stages = Stages::default();
        stages.begin_of_many(Stage::Trace);
        stages.pause();
        stages.begin_of_many(Stage::Columns);
        assert!(stages.since.is_none());
        stages.begin_of_many(Stage::Trace);
        assert!(stages.since.is_some() && stages.finish().len() == 1);
    }

    #[test]
    fn work_beside_a_stage_is_no_part_of_the_whole() {
        let mut stages = Stages::default();
        stages.begin(Stage::Trace);
        stages.beside("columns", Duration::ZERO);
        stages.beside("columns", Duration::from_secs(100));
        let views = stages.finish();
        assert_eq!(
            views.iter().map(|view| (view.name, view.beside)).collect::<Vec<_>>(),
            [("trace", None), ("columns", Some("trace"))]
        );
        assert!(views[1].seconds > 99.0 && seconds(&views) < 50.0);
        assert!(stages.finish().is_empty());
    }

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
