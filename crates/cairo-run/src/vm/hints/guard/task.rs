//! The programs that a bootloader runs, with their hints.

use std::any::Any;

use serde_json::Value;

use super::super::executable::CairoHints;
use crate::vm::bootloader::{Shared, Tasks};
use crate::vm::bounds::Bounds;

/// A hint of a task. Another task of the same words, which stand where they stood, has its own.
pub(super) struct HintOfTask {
    /// The number of tasks before it.
    pub(super) task: usize,
    pub(super) hint: Box<dyn Any>,
}

/// The tasks of a bootloader, and the hints of the one that runs.
pub(super) struct TaskHints<'a> {
    pub(super) bounds: Bounds,
    pub(super) tasks: Option<(&'a Tasks, Shared)>,
    /// The number of tasks that have begun, and the last one while it runs.
    pub(super) begun: usize,
    pub(super) running: Option<Running<'a>>,
    /// By executables that have ended.
    pub(super) printed: String,
}

/// A program that runs as a task.
pub(super) enum Running<'a> {
    /// With its program input.
    Compiled(Option<&'a Value>),
    Executable(Box<CairoHints<'a>>),
}

impl<'a> TaskHints<'a> {
    /// Without tasks.
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, tasks: None, begun: 0, running: None, printed: String::new() }
    }

    /// The program input of the program that runs, which is `own` outside of tasks.
    pub(super) fn input(&self, own: Option<&'a Value>) -> Option<&'a Value> {
        match &self.running {
            None => own,
            Some(Running::Compiled(input)) => *input,
            Some(Running::Executable(_)) => None,
        }
    }

    /// The task ends.
    pub(super) fn end(&mut self) {
        if let Some(Running::Executable(mut hints)) = self.running.take() {
            hints.hand_printed(&mut self.printed);
        }
    }
}
