//! The hints of a compiled program in our machine, and those of the programs that it runs.

use std::rc::Rc;

use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use super::program::ProgramHints;
use super::program_run::ProgramRun;
use super::tasks::TaskRuns;
use crate::vm::bootloader::{NAME, Shared, TaskHint, Tasks};
use crate::vm::bounds::Bounds;
use crate::vm::hints::machine::Machine;
use crate::vm::own::{NoRun, NumberedHints};
use crate::vm::python::Python;

/// The hints of a program and of its tasks, and their state during a run.
pub(in crate::vm) struct LibraryRun<'a> {
    program: ProgramRun<'a>,
    /// The programs that it runs, if it is a bootloader.
    tasks: Option<TaskRuns<'a>>,
}

impl<'a> LibraryRun<'a> {
    /// The hints of a program.
    ///
    /// # Errors
    /// A hint that only cairo-vm may know.
    pub(in crate::vm) fn new(
        program: &Program,
        input: Option<&'a Value>,
        python: Option<&Python>,
    ) -> Result<Self, NoRun> {
        let hints = ProgramHints::new(program, false, python)?;
        Ok(Self { program: ProgramRun::new(Rc::new(hints), input), tasks: None })
    }

    /// Whether no scope is open that a hint of the program has opened.
    pub(in crate::vm) fn has_left_scopes(&self) -> bool {
        self.program.has_left_scopes()
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
        self.program.scopes.insert_value(NAME, bootloader.clone());
        // The hint that begins a task looks for labels.
        self.program.scopes.insert_value("program_object", program.clone());
        self.tasks = Some(TaskRuns::new(tasks, bootloader, bounds)?);
        Ok(())
    }

    /// The numbers of the hints before each word, up to the last word that has one.
    pub(in crate::vm) fn words(&self) -> &[Vec<usize>] {
        self.program.words()
    }

    /// The text that tasks have printed.
    pub(in crate::vm) fn take_printed(&mut self) -> String {
        self.tasks.as_mut().map(|tasks| tasks.take_printed()).unwrap_or_default()
    }
}

impl NumberedHints for LibraryRun<'_> {
    fn run(&mut self, vm: &mut Machine<'_>, index: usize) -> Result<(), HintError> {
        match (self.program.run(vm, index)?, &mut self.tasks) {
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
