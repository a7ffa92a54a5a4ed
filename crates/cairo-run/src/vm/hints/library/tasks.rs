//! The hints of the programs that a bootloader runs in our machine: each program brings its own when its turn begins.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::program::ProgramHints;
use super::program_run::{ProgramRun, run_before};
use crate::vm::bootloader::{ExecutableHints, Shared, Tasks, program_of_turn};
use crate::vm::bounds::Bounds;
use crate::vm::hints::error::custom;
use crate::vm::hints::executable::CairoHints;
use crate::vm::hints::guard::charge_executable;
use crate::vm::hints::machine::Machine;
use crate::vm::own::{NoRun, NumberedHints};

/// The programs that are tasks.
pub(super) struct TaskRuns<'a> {
    tasks: &'a Tasks,
    bootloader: Shared,
    bounds: Bounds,
    /// The hints of compiled programs, by where the programs are.
    compiled: HashMap<*const Program, Rc<ProgramHints>>,
    /// The program that runs, and where its words begin.
    running: Option<(Relocatable, Running<'a>)>,
    new_places: Vec<Relocatable>,
    printed: String,
}

/// A program that runs as a task.
enum Running<'a> {
    Compiled(Box<ProgramRun<'a>>),
    /// With the numbers of the hints before each word.
    Executable(Box<CairoHints<'a>>, &'a ExecutableHints),
}

impl<'a> TaskRuns<'a> {
    /// Before the first task.
    ///
    /// # Errors
    /// A hint that only cairo-vm may know.
    pub(super) fn new(tasks: &'a Tasks, bootloader: &Shared, bounds: Bounds) -> Result<Self, NoRun> {
        let programs = tasks.all().filter_map(|task| task.source.as_program());
        let compiled = programs.filter(|task| task.executable_hints().is_none()).map(|task| task.program());
        let mut ready = HashMap::new();
        for program in compiled {
            if let Entry::Vacant(entry) = ready.entry(std::ptr::from_ref(program)) {
                entry.insert(Rc::new(ProgramHints::new(program, true, None)?));
            }
        }
        let (bootloader, printed) = (bootloader.clone(), String::new());
        Ok(Self { tasks, bootloader, bounds, compiled: ready, running: None, new_places: Vec::new(), printed })
    }

    /// Begins the task whose turn it is: if it is a program, its hints belong to its words from now on.
    pub(super) fn begin(&mut self, vm: &mut Machine<'_>) -> Result<(), HintError> {
        self.running = None;
        let Some((task, start)) = program_of_turn(&self.bootloader, self.tasks)? else { return Ok(()) };
        let running = match task.executable_hints() {
            None => {
                let hints = self.compiled.get(&std::ptr::from_ref(task.program()));
                let hints = hints.ok_or_else(|| custom("the hints of a task are not ready"))?;
                hints.charge(vm)?;
                Running::Compiled(Box::new(ProgramRun::new(hints.clone(), task.input())))
            }
            Some(executable) => {
                let hints = &executable.hints;
                charge_executable(hints.len(), vm.budget())?;
                let hints = CairoHints::new(hints.clone(), task.arguments(), self.bounds.clone());
                Running::Executable(Box::new(hints), executable)
            }
        };
        let hinted = running.hinted().iter();
        self.new_places = hinted.map(|word| start + *word).collect::<Result<_, _>>()?;
        self.running = Some((start, running));
        Ok(())
    }

    /// The task ends.
    pub(super) fn end(&mut self) -> Result<(), HintError> {
        match self.running.take() {
            Some((_, Running::Executable(mut hints, _))) => {
                hints.hand_printed(&mut self.printed);
                Ok(())
            }
            Some((_, Running::Compiled(hints))) if !hints.has_left_scopes() => {
                Err(custom("a task does not leave the scopes that it opens"))
            }
            _ => Ok(()),
        }
    }

    /// Runs the hints of the task before an instruction, if it has some there.
    pub(super) fn run(&mut self, vm: &mut Machine<'_>) -> Result<(), HintError> {
        let pc = vm.get_pc();
        let Some((start, running)) = &mut self.running else { return Ok(()) };
        let word = pc.offset.checked_sub(start.offset).filter(|_| pc.segment_index == start.segment_index);
        let Some(word) = word else { return Ok(()) };
        match running {
            Running::Compiled(hints) => hints.run_at(vm, word),
            Running::Executable(hints, executable) => {
                run_before(&executable.at, word, vm, |vm, index| hints.run(vm, index))
            }
        }
    }

    pub(super) fn new_places(&mut self) -> Vec<Relocatable> {
        std::mem::take(&mut self.new_places)
    }

    /// The text that executables have printed, also the one that runs.
    pub(super) fn take_printed(&mut self) -> String {
        let _ = self.end();
        std::mem::take(&mut self.printed)
    }
}

impl Running<'_> {
    /// The words that have hints before them.
    fn hinted(&self) -> &[usize] {
        match self {
            Self::Compiled(hints) => hints.hinted(),
            Self::Executable(_, executable) => &executable.hinted,
        }
    }
}
