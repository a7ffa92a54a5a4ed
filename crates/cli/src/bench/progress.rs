//! The display of a measurement.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::lock::lock;
use crate::progress::estimate::Share;
use crate::progress::ticker::Ticker;
use crate::progress::{Detail, WHOLE, left, line, lines};

/// Follows a measurement: shows the share of it that is done, and the time that is left.
pub(super) struct Measurement {
    bar: Option<ProgressBar>,
    /// The present measurement, after which share of the whole.
    state: Arc<Mutex<(f64, String)>>,
    _ticker: Option<Ticker>,
}

impl Measurement {
    /// Shows it on a terminal, and tells of it where there is none.
    pub(super) fn new(detail: Detail) -> Self {
        let of =
            |done: f64, spent: Duration| Share { done, left: (done > 0.0).then(|| spent.mul_f64(1.0 / done - 1.0)) };
        let time = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            // An error of drawing has nobody to go to.
            let _ = out.write_str(&left(of(f64::from(state.fraction()), state.elapsed())));
        };
        let template = "{spinner} {percent:>3} % {msg} ({elapsed}{left})";
        let state: Arc<Mutex<(f64, String)>> = Arc::default();
        let (told_state, since) = (state.clone(), Instant::now());
        let say = move || {
            let (spent, (done, what)) = (since.elapsed(), &*lock(&told_state));
            format!("{:.0} %, {what} ({}{})", done * 100.0, HumanDuration(spent), left(of(*done, spent)))
        };
        let bar = line(detail, || Ok(ProgressStyle::with_template(template)?.with_key("left", time)));
        Self { bar, state, _ticker: lines(detail, say) }
    }

    /// Something is measured next, after a share of the whole.
    pub(super) fn tell(&self, what: &str, done: f64) {
        *lock(&self.state) = (done, what.to_owned());
        if let Some(bar) = &self.bar {
            bar.set_position((done * WHOLE as f64) as u64);
            bar.set_message(what.to_owned());
        }
    }
}

impl Drop for Measurement {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}
