//! The run of a program: cairo-vm with what a proof needs, and what goes wrong there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cairo_vm::cairo_run::{CairoRunConfig, cairo_run_program_with_initial_scope};
use cairo_vm::hint_processor::hint_processor_definition::HintProcessor;
use cairo_vm::serde::deserialize_program::Location;
use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::layout_name::LayoutName;
use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::cairo_run_errors::CairoRunError;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::errors::vm_exception::VmException;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use stwo_cairo_adapter::ProverInput;

use super::{Failure, Place, Problem, Reason, Refusal, adapt};

/// Runs a program in proof mode and adapts the run. `builtins` are those that `main` takes, in their order: they become
/// the public segments of the statement.
pub(super) fn prove_input(
    program: &Program,
    builtins: &[BuiltinName],
    hints: &mut dyn HintProcessor,
    scopes: ExecutionScopes,
    max_steps: usize,
) -> Result<ProverInput, Problem> {
    supported(builtins)?;
    // The trace is left unpadded and unrelocated: the adapter relocates, and pads builtins to its own sizes.
    let config = CairoRunConfig {
        trace_enabled: true,
        relocate_mem: false,
        relocate_trace: false,
        layout: LayoutName::all_cairo_stwo,
        proof_mode: true,
        fill_holes: true,
        disable_trace_padding: true,
        ..CairoRunConfig::default()
    };
    let run = || {
        let runner = cairo_run_program_with_initial_scope(program, &config, hints, scopes);
        runner.map_err(|error| Problem::Failed(failure(error, max_steps)))
    };
    let runner = guarded(run)??;
    adapt_run(&runner, builtins)
}

/// Adapts a run.
pub(super) fn adapt_run(runner: &CairoRunner, builtins: &[BuiltinName]) -> Result<ProverInput, Problem> {
    supported(builtins)?;
    Ok(adapt::adapt(runner, builtins)?)
}

/// The last resort: a dependency that panics stops this run, not the process.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Problem::Unforeseen(
            text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into())).unwrap_or_default(),
        )
    })
}

/// Refuses builtins that have no public segment in the statement, and programs without output, which the statement
/// demands.
fn supported(builtins: &[BuiltinName]) -> Result<(), Refusal> {
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

fn failure(error: CairoRunError, max_steps: usize) -> Failure {
    let plain = |message: String| Failure { pc: None, message, panic: None, source: None };
    match error {
        CairoRunError::VmException(exception) => vm_failure(exception, max_steps),
        CairoRunError::VirtualMachine(error) => plain(vm_message(&error, max_steps)),
        error => plain(error.to_string()),
    }
}

fn vm_message(error: &VirtualMachineError, max_steps: usize) -> String {
    match error {
        VirtualMachineError::UnfinishedExecution => {
            format!("it has not ended after {max_steps} steps. If it does end, allow more steps")
        }
        // The error of a hint names the hint by its index; what it says is the inner error.
        VirtualMachineError::Hint(hint) => format!("a hint failed: {}", hint.1),
        error => error.to_string(),
    }
}

fn vm_failure(exception: VmException, max_steps: usize) -> Failure {
    let in_program = exception.pc.segment_index == 0;
    let mut source = Vec::new();
    if let Some(location) = &exception.inst_location {
        source.push(format!("in {}", place_in_source(location)));
    }
    source.extend(exception.error_attr_value.as_deref().map(|text| text.trim_end().to_string()));
    // Without debug information the traceback is a list of unknown places.
    let calls = exception.traceback.as_deref().filter(|_| exception.inst_location.is_some());
    source.extend(calls.map(|text| text.trim_end().to_string()));
    Failure {
        pc: in_program.then_some(exception.pc.offset as u64 + 1),
        message: vm_message(&exception.inner_exc, max_steps),
        panic: None,
        source: (!source.is_empty()).then(|| source.join("\n")),
    }
}

fn place_in_source(location: &Location) -> String {
    format!("{}:{}:{}", location.input_file.filename, location.start_line, location.start_col)
}
