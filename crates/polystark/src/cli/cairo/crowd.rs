//! What is being done with many programs at the same time, on a terminal.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use crate::Stage;
use crate::cli::progress::bar;

/// Shows the stages of many proofs that are made at the same time, each known by a number.
pub(crate) struct Crowd {
    bar: Option<ProgressBar>,
    stages: Mutex<BTreeMap<usize, Stage>>,
}

impl Crowd {
    /// Shows them if standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool, proofs: usize) -> Self {
        Self { bar: bar(wanted, proofs), stages: Mutex::default() }
    }

    /// A stage of a proof begins, or goes on.
    pub(crate) fn begin(&self, proof: usize, stage: Stage) {
        self.change(|stages| stages.insert(proof, stage));
    }

    /// A proof is done: says so by `say`.
    pub(crate) fn end(&self, proof: usize, say: impl FnOnce()) {
        self.change(|stages| stages.remove(&proof));
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
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<usize, Stage>) -> Option<Stage>) {
        let Some(bar) = &self.bar else { return };
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stages);
        let texts: Vec<_> = stages.iter().map(|(proof, stage)| format!("{proof}: {}", stage.name())).collect();
        bar.set_message(texts.join(", "));
    }
}
