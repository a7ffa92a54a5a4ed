//! Signals between the prover's thread and the others.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, watch};

use crate::Step;
use crate::patience::now;
use crate::state::Record;
use crate::thread::lock;

/// Signals between the prover's thread and the others, both ways.
pub(super) struct Signal {
    stop: watch::Sender<bool>,
    pub(super) look: Notify,
    pub(super) steps: Mutex<Steps>,
    /// Whether there are steps that are not written.
    pub(super) new: AtomicBool,
}

/// The phases so far.
#[derive(Clone, Default)]
pub(super) struct Steps {
    phases: Vec<(String, u64)>,
    share: f64,
}

impl Steps {
    /// More phases than people read are not kept.
    const MOST: usize = 256;

    pub(super) fn write(&self, record: &mut Record) {
        record.status.phases.clone_from(&self.phases);
        record.status.phase = self.phases.last().map(|(phase, _)| phase.clone());
        record.status.share = self.share;
    }
}

impl Signal {
    pub(super) fn new() -> Self {
        Self {
            stop: watch::channel(false).0,
            look: Notify::new(),
            steps: Mutex::default(),
            new: AtomicBool::new(false),
        }
    }

    /// The prover is to stop.
    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until it is.
    pub(super) async fn stopped(&self) {
        // The sender is `self`'s.
        drop(self.stop.subscribe().wait_for(|stop| *stop).await);
    }

    /// The record may have changed.
    pub(super) fn look(&self) {
        self.look.notify_one();
    }

    /// A phase begins, or lasts.
    pub(super) fn step(&self, step: Step) -> ControlFlow<()> {
        let mut steps = lock(&self.steps);
        let share = if step.share.is_finite() { step.share.clamp(0.0, 1.0) } else { 0.0 };
        let begins = steps.phases.last().is_none_or(|(last, _)| last != step.phase);
        if begins && steps.phases.len() < Steps::MOST {
            steps.phases.push((step.phase.into(), now()));
        }
        if begins || share > steps.share {
            steps.share = share;
            self.new.store(true, Ordering::Release);
        }
        if *self.stop.borrow() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
