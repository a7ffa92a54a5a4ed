//! An executable of Cairo 1, run from its Standalone entry point, or as a task from its Bootloader entry point.

mod parse;

use std::cell::Cell;
use std::sync::Arc;

use cairo_lang_casm::hints::Hint;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;

use parse::END_OF_ENTRY;
pub(super) use parse::{EntryPointKind, Parsed, parse};

use super::adapt::Adapted;
use super::hints::executable::CairoHints;
use super::options::Options;
use super::own::{self, Job};
use super::run::{self, Mode};
use crate::Problem;

/// Parses the executable and runs it with its arguments. Its output goes to `printed`, whether or not it fails.
pub(super) fn run(bytes: &[u8], options: &Options, printed: &mut String) -> Result<Adapted, Problem> {
    let Parsed { program, builtins, hints, hints_at } = parse(bytes, EntryPointKind::Standalone)?;
    let said = Cell::new(String::new());
    let own = || {
        let mut hints = CairoHints::new(Arc::clone(&hints), &options.arguments, options.bounds());
        let job = Job { program: &program, start: 0, end: END_OF_ENTRY, builtins: &builtins };
        let result = own::run(&job, &mut hints, &hints_at, options);
        said.set(hints.take_printed());
        Ok(result?)
    };
    let vm = || {
        let (result, printed) = with_hints(&hints, options, |hints| {
            run::prove_input(&program, &builtins, hints, ExecutionScopes::new(), options)
        });
        said.set(printed);
        result
    };
    let result = own::choose(options, own, vm);
    *printed = said.take();
    result
}

/// Parses the executable and runs its Bootloader entry point with its arguments, as a task of a bootloader.
pub(super) fn run_task(bytes: &[u8], options: &Options, printed: &mut String) -> Result<CairoRunner, Problem> {
    let Parsed { program, hints, .. } = parse(bytes, EntryPointKind::Bootloader)?;
    let (result, said) =
        with_hints(&hints, options, |hints| run::run(Mode::Task, &program, hints, ExecutionScopes::new(), true));
    *printed = said;
    result
}

/// Runs with the executable's hints and its arguments in cairo-vm.
fn with_hints<T>(
    hints: &Arc<[Hint]>,
    options: &Options,
    run: impl FnOnce(&mut CairoHints<'_>) -> Result<T, Problem>,
) -> (Result<T, Problem>, String) {
    let mut hints = CairoHints::new(Arc::clone(hints), &options.arguments, options.bounds());
    let result = run(&mut hints);
    let result = result.map_err(|problem| match problem {
        // A panic ends in a failed assertion of the wrapper around main; the program's message is in the marker before
        // it.
        Problem::Failed(mut failure) => {
            failure.panic = failure.pc.and_then(|pc| hints.panic_at((0, pc as usize - 1).into()));
            Problem::Failed(failure)
        }
        problem => problem,
    });
    (result, hints.take_printed())
}
