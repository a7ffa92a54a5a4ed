//! The hints of a compiled program in our machine, and those of the programs that it runs.

use std::rc::Rc;

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use super::program::ProgramHints;
use super::tasks::TaskRuns;
use crate::vm::bootloader::{NAME, Shared, TaskHint, Tasks};
use crate::vm::bounds::Bounds;
use crate::vm::machine::Machine;
use crate::vm::own::{NoRun, NumberedHints};

/// Bytes that a scope takes at most, beside the values that are charged for themselves.
const SCOPE_BYTES: u64 = 1 << 10;

/// The hints of one program, and their state during a run.
pub(in crate::vm) struct LibraryRun<'a> {
    hints: Rc<ProgramHints>,
    scopes: ExecutionScopes,
    /// The most scopes that were open at the same time.
    depth: usize,
    input: Option<&'a Value>,
    /// The programs that it runs, if it is a bootloader.
    tasks: Option<Box<TaskRuns<'a>>>,
}

impl<'a> LibraryRun<'a> {
    /// The hints of a program.
    ///
    /// # Errors
    /// A hint that only cairo-vm may know.
    pub(in crate::vm) fn new(program: &Program, input: Option<&'a Value>) -> Result<Self, NoRun> {
        Ok(Self::of(Rc::new(ProgramHints::new(program, false)?), input))
    }

    /// Before the first hint.
    pub(super) fn of(hints: Rc<ProgramHints>, input: Option<&'a Value>) -> Self {
        Self { hints, scopes: ExecutionScopes::new(), depth: 1, input, tasks: None }
    }

    /// Gives the tasks of a bootloader, and its state.
    ///
    /// # Errors
    /// A hint of a task that only cairo-vm may know.
    pub(in crate::vm) fn set_tasks(
        &mut self,
        program: &Program,
        tasks: &'a Tasks,
        bootloader: &Shared,
        bounds: Bounds,
    ) -> Result<(), NoRun> {
        self.scopes.insert_value(NAME, bootloader.clone());
        // The hint that begins a task looks for labels.
        self.scopes.insert_value("program_object", program.clone());
        self.tasks = Some(Box::new(TaskRuns::new(tasks, bootloader, bounds)?));
        Ok(())
    }

    /// The numbers of the hints before each word, up to the last word that has one.
    pub(in crate::vm) fn words(&self) -> &[Vec<usize>] {
        &self.hints.at
    }

    /// The text that tasks have printed.
    pub(in crate::vm) fn take_printed(&mut self) -> String {
        self.tasks.as_mut().map(|tasks| tasks.take_printed()).unwrap_or_default()
    }

    /// Runs the hints before a word.
    pub(super) fn run_at(&mut self, vm: &mut Machine<'_>, word: usize) -> Result<(), HintError> {
        let hints = self.hints.clone();
        for (turn, index) in hints.at.get(word).into_iter().flatten().enumerate() {
            // A step may have one; each further one counts as a step.
            vm.work(usize::from(turn > 0))?;
            self.run(vm, *index)?;
        }
        Ok(())
    }

    /// Whether no scope is open that a hint has opened.
    pub(super) fn has_left_scopes(&self) -> bool {
        self.scopes.data.len() == 1
    }
}

impl NumberedHints for LibraryRun<'_> {
    fn run(&mut self, vm: &mut Machine<'_>, index: usize) -> Result<(), HintError> {
        let part = self.hints.run(index, vm, &mut self.scopes, self.input)?;
        let depth = self.scopes.data.len();
        if depth > self.depth {
            self.depth = depth;
            vm.keep(SCOPE_BYTES)?;
        }
        match (part, &mut self.tasks) {
            (Some(TaskHint::Begin), Some(tasks)) => tasks.begin(vm),
            (Some(TaskHint::End), Some(tasks)) => tasks.end(),
            _ => Ok(()),
        }
    }

    fn run_outside(&mut self, vm: &mut Machine<'_>) -> Result<(), HintError> {
        self.tasks.as_mut().map_or(Ok(()), |tasks| tasks.run(vm))
    }

    fn new_places(&mut self) -> Vec<Relocatable> {
        self.tasks.as_mut().map(|tasks| tasks.new_places()).unwrap_or_default()
    }
}
