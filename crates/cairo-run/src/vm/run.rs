//! The run of a program: cairo-vm with the settings for a proof, and its errors.

use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::layout_name::LayoutName;
use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::memory_errors::MemoryError;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use cairo_vm::vm::security::verify_secure_runner;
use proof_format::text::{MAX_PARSER_MESSAGE, cut, lines};

use super::adapt::{Adapted, adapt};
use super::bounds::Exceeded;
use super::drive::{self, Hints, Stop};
use super::failure;
use super::options::{Layout, Options};
use crate::{MachineResources, Place, Problem, Reason, Refusal, caught};

/// Builtins that no component proves. The layout lacks them, so that their pointers are 0.
const WITHOUT_COMPONENT: [BuiltinName; 2] = [BuiltinName::ecdsa, BuiltinName::keccak];

/// Runs a program in proof mode and adapts the run. `builtins` are the ones that `main` takes, in their order: they
/// become the public segments of the statement.
pub(super) fn prove_input(
    program: &Program,
    builtins: &[BuiltinName],
    hints: &mut dyn Hints,
    scopes: ExecutionScopes,
    options: &Options,
) -> Result<Adapted, Problem> {
    supported(builtins)?;
    let runner = run(Mode::Proof(options.layout), program, hints, scopes, options.secure)?;
    let resources = options.resources.then(|| resources(&runner)).transpose()?;
    let mut adapted = adapt(&runner, builtins)?;
    adapted.resources = resources;
    Ok(adapted)
}

/// How cairo-vm runs a program.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    /// From its first word to its loop, in a layout of proofs. Builtins that the layout lacks have the pointer 0.
    Proof(Layout),
    /// `main` alone, in the layout that has all builtins.
    Task,
}

/// Runs a program to its end.
pub(super) fn run(
    mode: Mode,
    program: &Program,
    hints: &mut dyn Hints,
    scopes: ExecutionScopes,
    is_secure: bool,
) -> Result<CairoRunner, Problem> {
    let runner = guarded(|| run_within(mode, program, hints, scopes, is_secure))??;
    nothing_behind(program, &runner)?;
    Ok(runner)
}

/// The resources of a run that has ended.
fn resources(runner: &CairoRunner) -> Result<MachineResources, Problem> {
    let counted = runner.get_execution_resources().map_err(|error| failure::around(&error))?;
    let builtins = counted.builtin_instance_counter.into_iter();
    Ok(MachineResources {
        n_steps: counted.n_steps,
        n_memory_holes: counted.n_memory_holes,
        builtin_instance_counter: builtins.map(|(name, instances)| (name.to_str_with_suffix(), instances)).collect(),
    })
}

/// As `cairo_run_program_with_initial_scope` of cairo-vm runs a program, within bounds. The trace is left unpadded and
/// unrelocated: the adapter relocates, and pads builtins to its own sizes.
fn run_within(
    mode: Mode,
    program: &Program,
    hints: &mut dyn Hints,
    scopes: ExecutionScopes,
    is_secure: bool,
) -> Result<CairoRunner, Problem> {
    let (is_proof, layout) = match mode {
        Mode::Proof(layout) => (true, layout.name()),
        Mode::Task => (false, LayoutName::all_cairo),
    };
    let (trace_enabled, disable_trace_padding, allow_missing_builtins) = (is_proof, is_proof, is_proof);
    let runner = CairoRunner::new(program, layout, None, is_proof, trace_enabled, disable_trace_padding);
    let mut runner = runner.map_err(|error| failure::around(&error))?;
    runner.exec_scopes = scopes;
    let end = runner.initialize(allow_missing_builtins).map_err(|error| failure::around(&error))?;
    match drive::run(&mut runner, program, end, hints, is_proof) {
        Ok(()) => {}
        Err(Stop::Machine(error)) => {
            if is_proof {
                without_component(&runner, program, &error)?;
            }
            return Err(failure::of_machine(&mut runner, &error).into());
        }
        Err(Stop::Exceeded(Exceeded::Stopped)) => return Err(Problem::Cancelled),
        Err(Stop::Exceeded(exceeded)) => {
            let message = hints.budget().message(exceeded);
            return Err(failure::here(&mut runner, None, message).into());
        }
    }
    let fill_holes = is_proof;
    runner
        .end_run(disable_trace_padding, false, hints, fill_holes)
        .map_err(|error| failure::of_machine(&mut runner, &error))?;
    runner.read_return_values(allow_missing_builtins).map_err(|error| failure::around(&error))?;
    if is_proof {
        runner.finalize_segments().map_err(|error| failure::around(&error))?;
    }
    if is_secure {
        verify_secure_runner(&runner, true, None).map_err(|error| failure::of_machine(&mut runner, &error))?;
    }
    Ok(runner)
}

/// Refuses a run that stopped because it uses a builtin that has no component: it takes the 0 that stands for the
/// builtin's pointer for an address.
fn without_component(runner: &CairoRunner, program: &Program, error: &VirtualMachineError) -> Result<(), Refusal> {
    if !matches!(error, VirtualMachineError::Memory(MemoryError::AddressNotRelocatable)) {
        return Ok(());
    }
    let taken = program.iter_builtins().filter(|builtin| WITHOUT_COMPONENT.contains(builtin));
    let taken: Vec<String> = taken.map(|builtin| format!("the builtin {}", builtin.to_str())).collect();
    if taken.is_empty() {
        return Ok(());
    }
    let what = format!("{} has no component, so that its pointer is no address", taken.join(" or "));
    let place = Place::Pc(runner.vm.get_pc().offset as u64 + 1);
    Err(Refusal::new(Reason::Builtin, place, what, "Use a library function in its place"))
}

/// Refuses a run that has written behind the last word of its program: the statement takes all cells up to the stack
/// for words of it.
fn nothing_behind(program: &Program, runner: &CairoRunner) -> Result<(), Refusal> {
    let words = program.data_len();
    match runner.vm.segments.get_segment_used_size(0) {
        Some(used) if used > words => {
            let what = format!("the program writes behind its last word, up to address {used}");
            let remedy = "Let it write into memory that it allocates: what stands there would be a part of the program";
            Err(Refusal::new(Reason::ProgramStart, Place::Address(words as u64 + 1), what, remedy))
        }
        _ => Ok(()),
    }
}

/// The last resort: a dependency that panics stops this run, not the process.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Problem> {
    caught(work).map_err(|text| Problem::Unforeseen(lines(&cut(&text, MAX_PARSER_MESSAGE))))
}

/// Refuses builtins that have no public segment in the statement, and programs without output, which the statement
/// demands.
pub(super) fn supported(builtins: &[BuiltinName]) -> Result<(), Refusal> {
    let refuse = |what: String, remedy| Err(Refusal::new(Reason::PublicSegments, Place::Whole, what, remedy));
    if builtins.contains(&BuiltinName::segment_arena) {
        return refuse(
            "main takes the builtin segment_arena, which has no public segment".into(),
            "Let the program allocate its dictionaries' arena itself, as executables of Cairo 1 do",
        );
    }
    if builtins.first() != Some(&BuiltinName::output) {
        return refuse(
            "main does not take the output builtin".into(),
            "Declare `%builtins output`; the output may be empty",
        );
    }
    Ok(())
}
