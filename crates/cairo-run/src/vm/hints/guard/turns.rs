//! The turns of the programs that a bootloader runs: each program brings its own hints when its turn begins.

use std::any::Any;

use cairo_vm::hint_processor::hint_processor_definition::{HintExtension, HintProcessorLogic};
use cairo_vm::serde::deserialize_program::HintParams;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::super::error::custom;
use super::super::executable::CairoHints;
use super::super::library::Beside;
use super::LibraryHints;
use super::task::{HintOfTask, Running};
use crate::vm::bootloader::{ExecutableHints, Shared, Tasks, program_of_turn};
use crate::vm::bounds::{Budget, Exceeded};
use crate::vm::own::NumberedHints;
use crate::vm::vm_memory::VmMemory;

/// Bytes that are kept of a hint beside its text, and of each of its variables.
const HINT_BYTES: usize = 1 << 10;
const VARIABLE_BYTES: usize = 1 << 8;

/// The hint of an executable, by its number.
struct ExecutableHint(usize);

/// Bytes that are kept of a hint of a compiled program that is a task.
pub(in crate::vm) fn hint_bytes(hint: &HintParams) -> usize {
    HINT_BYTES + 2 * hint.code.len() + VARIABLE_BYTES * hint.flow_tracking_data.reference_ids.len()
}

/// Takes the time and the memory of so many hints of an executable that is a task.
pub(in crate::vm) fn charge_executable(hints: usize, budget: &mut Budget) -> Result<(), Exceeded> {
    budget.work(hints)?;
    budget.keep((hints * HINT_BYTES) as u64)
}

fn of_task(task: usize, hint: Box<dyn Any>) -> Box<dyn Any> {
    Box::new(HintOfTask { task, hint })
}

impl<'a> LibraryHints<'a> {
    /// Gives the tasks of a bootloader, and its state.
    pub(in crate::vm) fn set_tasks(&mut self, tasks: &'a Tasks, bootloader: &Shared) {
        self.tasks.tasks = Some((tasks, bootloader.clone()));
    }

    /// The text that tasks have printed, and the data of the panic with which one has stopped the run.
    pub(in crate::vm) fn take_printed(&mut self) -> (String, Option<Vec<String>>) {
        let stopped = self.tasks.tasks.as_ref().and_then(|(_, state)| state.try_borrow().ok()?.stopped);
        let panic = match (&self.tasks.running, stopped) {
            (Some(Running::Executable(hints)), Some(stopped)) => hints.panic_at(stopped),
            _ => None,
        };
        self.tasks.end();
        (std::mem::take(&mut self.tasks.printed), panic)
    }

    /// Runs the hint of a task.
    pub(super) fn run_of_task(
        &mut self,
        vm: &mut VirtualMachine,
        scopes: &mut ExecutionScopes,
        HintOfTask { task, hint }: &HintOfTask,
    ) -> Result<(), HintError> {
        if *task != self.tasks.begun {
            return Ok(());
        }
        match (hint.downcast_ref(), &mut self.tasks.running) {
            (Some(ExecutableHint(index)), Some(Running::Executable(hints))) => {
                self.budget.hint()?;
                hints.run(&mut VmMemory { vm, budget: &mut self.budget }, *index)
            }
            _ => self.execute_hint(vm, scopes, hint),
        }
    }

    /// Begins the task whose turn it is: if it is a program, its hints belong to its words from now on.
    pub(super) fn begin_task(&mut self) -> Result<HintExtension, HintError> {
        self.tasks.begun += 1;
        let number = self.tasks.begun;
        let Some((tasks, state)) = self.tasks.tasks.clone() else { return Ok(HintExtension::new()) };
        let Some((task, start)) = program_of_turn(&state, tasks)? else { return Ok(HintExtension::new()) };
        let (running, hints) = match task.executable_hints() {
            None => (Running::Compiled(task.input()), self.compiled(task.program(), start)?),
            Some(ExecutableHints { hints, at, .. }) => {
                charge_executable(hints.len(), &mut self.budget)?;
                let hints = CairoHints::new(hints.clone(), task.arguments(), self.tasks.bounds.clone());
                let at = at.iter().enumerate().map(|(word, numbers)| {
                    let hints = numbers.iter().map(|index| of_task(number, Box::new(ExecutableHint(*index))));
                    Ok(((start + word)?, hints.collect()))
                });
                (Running::Executable(Box::new(hints)), at.collect::<Result<_, HintError>>()?)
            }
        };
        self.tasks.running = Some(running);
        Ok(hints)
    }

    /// The hints of a compiled program whose words begin at `start`.
    fn compiled(&mut self, program: &Program, start: Relocatable) -> Result<HintExtension, HintError> {
        let data = &program.shared_program_data;
        let mut extension = HintExtension::new();
        for (word, (first, count)) in &data.hints_collection.hints_ranges {
            let mut compiled = Vec::with_capacity(count.get());
            for hint in &data.hints_collection.hints[*first..*first + count.get()] {
                let of = &hint.flow_tracking_data;
                self.budget.work(1)?;
                self.budget.keep(hint_bytes(hint) as u64)?;
                if matches!(Beside::of(&hint.code), Some(Beside::Bootloader(_))) {
                    return Err(custom(format!("a hint at its word {} is a bootloader's: it is no task", word.offset)));
                }
                let ready = self.compile_hint(
                    &hint.code,
                    &of.ap_tracking,
                    &of.reference_ids,
                    &data.reference_manager,
                    &hint.accessible_scopes,
                    program.constants.clone(),
                );
                let ready = ready.map_err(|error| custom(format!("a hint at its word {}: {error}", word.offset)))?;
                compiled.push(of_task(self.tasks.begun, ready));
            }
            extension.insert((start + word.offset)?, compiled);
        }
        Ok(extension)
    }
}
