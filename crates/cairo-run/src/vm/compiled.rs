//! A compiled program of Cairo 0, with its hints.

mod parse;

use std::cell::Cell;
use std::collections::HashMap;

use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::BuiltinHintProcessor;
use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::program::Program;
use cairo_vm::vm::runners::cairo_runner::{CairoRunner, RunResources};

use parse::LABELS;
pub(super) use parse::{parse, parsed};

use super::adapt::Adapted;
use super::bootloader::{self, Bootloader, Shared};
use super::hints::guard::LibraryHints;
use super::hints::library::LibraryRun;
use super::options::{Options, OwnHints};
use super::own::{self, Job, NoRun};
use super::python::Python;
use super::run;
use super::run::Mode;
use crate::{Failure, Problem};

/// Parses the program and runs it from `__main__.__start__`. The output of executables that are its tasks goes to
/// `printed`, whether or not it fails.
pub(super) fn run(bytes: &[u8], options: &Options, printed: &mut String) -> Result<Adapted, Problem> {
    let program = parsed(bytes)?;
    let builtins: Vec<BuiltinName> = program.iter_builtins().copied().collect();
    let said = Cell::new(String::new());
    let own = || {
        let python = Python::of(&program, options).map_err(|_| NoRun::Fails("there is no Python"))?;
        let mut hints = LibraryRun::new(&program, options.program_input.as_ref(), python.as_ref())?;
        let bootloader = bootloader(options).map_err(|_| NoRun::Fails("its tasks are too many for the bounds"))?;
        if let (Some(bootloader), Some(tasks)) = (&bootloader, &options.tasks) {
            hints.set_tasks(&program, tasks, bootloader, options.bounds())?;
        }
        let at = hints.words().to_vec();
        let label = |name: &str| program.get_identifier(name).and_then(|identifier| identifier.pc).unwrap_or_default();
        let [start, end] = LABELS.map(label);
        let job = Job { program: &program, start, end, builtins: &builtins };
        let result = own::run(&job, &mut hints, &at, options);
        let of_hints = python.map(|python| python.take_printed()).unwrap_or_default();
        said.set(of_hints + &hints.take_printed());
        let result = result?;
        if !hints.has_left_scopes() {
            return Err(NoRun::Fails("a hint has entered a scope that none exits"));
        }
        let tasks = bootloader.map(|bootloader| std::mem::take(&mut bootloader.borrow_mut().output));
        Ok(Adapted { tasks, ..result })
    };
    let vm = || {
        let mut printed = String::new();
        let result = run_in(&program, &builtins, options, ExecutionScopes::new(), &mut printed);
        said.set(printed);
        result
    };
    let result = own::choose(options, own, vm);
    *printed = said.take();
    result
}

/// The state of the bootloader that the program is, if it has tasks.
fn bootloader(options: &Options) -> Result<Option<Shared>, Failure> {
    options.tasks.as_ref().map(|tasks| Bootloader::new(tasks, options.bounds())).transpose()
}

/// Runs a program in cairo-vm, with named values that hints find.
pub(super) fn run_in(
    program: &Program,
    builtins: &[BuiltinName],
    options: &Options,
    scopes: ExecutionScopes,
    printed: &mut String,
) -> Result<Adapted, Problem> {
    let python = Python::of(program, options)?;
    let (mut hints, mut scopes) = hints(program, options, python.clone(), scopes);
    let bootloader = bootloader(options)?;
    if let (Some(bootloader), Some(tasks)) = (&bootloader, &options.tasks) {
        scopes.insert_value(bootloader::NAME, bootloader.clone());
        hints.set_tasks(tasks, bootloader);
    }
    let result = run::prove_input(program, builtins, &mut hints, scopes, options);
    let (said, panic) = hints.take_printed();
    *printed = python.map(|python| python.take_printed()).unwrap_or_default() + &said;
    let mut adapted = result.map_err(|problem| match problem {
        Problem::Failed(failure) => Problem::Failed(Failure { panic, ..failure }),
        problem => problem,
    })?;
    adapted.tasks = bootloader.map(|bootloader| std::mem::take(&mut bootloader.borrow_mut().output));
    Ok(adapted)
}

/// Parses the program and runs its function `main` as a task of a bootloader.
pub(super) fn run_task(bytes: &[u8], options: &Options) -> Result<CairoRunner, Problem> {
    let program = parse(bytes)?;
    if options.own_hints != OwnHints::Refused {
        // Their text would be shown nowhere.
        return Err(Problem::Arguments("a CairoPIE is made without hints in Python (--hints python)".into()));
    }
    let (mut hints, scopes) = hints(&program, options, None, ExecutionScopes::new());
    run::run(Mode::Task, &program, &mut hints, scopes, true)
}

/// The hints of a program, and the named values that they find.
fn hints<'a>(
    program: &Program,
    options: &'a Options,
    python: Option<Python>,
    mut scopes: ExecutionScopes,
) -> (LibraryHints<'a>, ExecutionScopes) {
    // Hints of programs that run other programs look for the program itself.
    scopes.insert_value("program_object", program.clone());
    // Steps are counted by the bounds.
    let library = BuiltinHintProcessor::new(HashMap::new(), RunResources::default());
    (LibraryHints::new(library, options.program_input.as_ref(), python, options.bounds()), scopes)
}
