//! The work on many programs at the same time.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::progress::{Detail, Parts};
use sdk::Stage;

/// Shows the stages of many proofs that are made at the same time, each known by a number.
pub(crate) struct BatchProgress {
    parts: Parts,
    stages: Mutex<BTreeMap<usize, Stage>>,
}

impl BatchProgress {
    /// Shows them on a terminal, and tells of them where there is none.
    pub(crate) fn new(detail: Detail, proofs: usize) -> Self {
        Self { parts: Parts::new(detail, proofs), stages: Mutex::default() }
    }

    /// A stage of a proof begins, or goes on.
    pub(crate) fn begin(&self, proof: usize, stage: Stage) {
        self.change(|stages| stages.insert(proof, stage));
    }

    /// A proof is done: says so by `say`.
    pub(crate) fn end(&self, proof: usize, say: impl FnOnce()) {
        self.change(|stages| stages.remove(&proof));
        self.parts.end(say);
    }

    /// Everything is done.
    pub(crate) fn finish(&self) {
        self.parts.finish();
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<usize, Stage>) -> Option<Stage>) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stages);
        let texts: Vec<_> = stages.iter().map(|(proof, stage)| format!("{proof}: {}", stage.name())).collect();
        self.parts.tell(texts.join(", "));
    }
}
