//! The run of a program: cairo-vm with what a proof needs, and what goes wrong there.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
use proof_format::text::{MAX_SAID, cut};
use stwo_cairo_adapter::ProverInput;

use super::extent::{Extent, Stop};
use super::{Failure, Place, Problem, Reason, Refusal, adapt};

/// What a run may take.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) steps: usize,
    pub(super) addresses: usize,
}

/// Runs a program in proof mode and adapts the run. `builtins` are those that `main` takes, in their order: they become
/// the public segments of the statement.
pub(super) fn prove_input(
    program: &Program,
    builtins: &[BuiltinName],
    hints: &mut dyn HintProcessor,
    scopes: ExecutionScopes,
    bounds: Bounds,
) -> Result<ProverInput, Problem> {
    supported(builtins)?;
    let run = || run_in_proof_mode(program, hints, scopes, bounds).map_err(Problem::Failed);
    let runner = guarded(run)??;
    adapt_run(&runner, builtins)
}

/// As `cairo_run_program_with_initial_scope` of cairo-vm runs a program, within bounds. The trace is left unpadded and
/// unrelocated: the adapter relocates, and pads builtins to its own sizes.
fn run_in_proof_mode(
    program: &Program,
    hints: &mut dyn HintProcessor,
    scopes: ExecutionScopes,
    bounds: Bounds,
) -> Result<CairoRunner, Failure> {
    let failed = |error: CairoRunError| failure(error, bounds);
    let (proof_mode, trace_enabled, disable_trace_padding) = (true, true, true);
    let (layout, allow_missing_builtins) = (LayoutName::all_cairo_stwo, true);
    let runner = CairoRunner::new(program, layout, None, proof_mode, trace_enabled, disable_trace_padding);
    let mut runner = runner.map_err(|error| failed(error.into()))?;
    runner.exec_scopes = scopes;
    let end = runner.initialize(allow_missing_builtins).map_err(|error| failed(error.into()))?;
    if let Err(stop) = Extent::new(bounds.addresses).run(&mut runner, program, end, hints) {
        return Err(match stop {
            Stop::Machine(error) => vm_failure(VmException::from_vm_error(&runner, error), bounds),
            Stop::Addresses(address) => {
                // What cairo-vm says of the place, with another message.
                let place = VmException::from_vm_error(&runner, VirtualMachineError::UnfinishedExecution);
                let message = format!(
                    "it takes more than {} addresses: it reaches {address}. If that is what it should do, allow more addresses",
                    bounds.addresses
                );
                Failure { message, ..vm_failure(place, bounds) }
            }
        });
    }
    let fill_holes = true;
    runner.end_run(disable_trace_padding, false, hints, fill_holes).map_err(|error| failed(error.into()))?;
    runner.read_return_values(allow_missing_builtins).map_err(|error| failed(error.into()))?;
    runner.finalize_segments().map_err(|error| failed(error.into()))?;
    Ok(runner)
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

fn failure(error: CairoRunError, bounds: Bounds) -> Failure {
    let plain = |message: String| Failure { pc: None, message, panic: None, source: None };
    match error {
        CairoRunError::VmException(exception) => vm_failure(exception, bounds),
        CairoRunError::VirtualMachine(error) => plain(vm_message(&error, bounds)),
        error => plain(error.to_string()),
    }
}

fn vm_message(error: &VirtualMachineError, bounds: Bounds) -> String {
    match error {
        VirtualMachineError::UnfinishedExecution => {
            format!("it has not ended after {} steps. If it does end, allow more steps", bounds.steps)
        }
        // The error of a hint names the hint by its index; what it says is the inner error.
        VirtualMachineError::Hint(hint) => format!("a hint failed: {}", cut(&hint.1.to_string(), MAX_SAID)),
        error => error.to_string(),
    }
}

fn vm_failure(exception: VmException, bounds: Bounds) -> Failure {
    let in_program = exception.pc.segment_index == 0;
    let mut source = Vec::new();
    if let Some(location) = &exception.inst_location {
        source.push(format!("in {}", place_in_source(location)));
    }
    source.extend(exception.error_attr_value.as_deref().map(|text| cut(text.trim_end(), MAX_SAID).into_owned()));
    // Without debug information the traceback is a list of unknown places.
    let calls = exception.traceback.as_deref().filter(|_| exception.inst_location.is_some());
    source.extend(calls.map(|text| text.trim_end().to_string()));
    Failure {
        pc: in_program.then_some(exception.pc.offset as u64 + 1),
        message: vm_message(&exception.inner_exc, bounds),
        panic: None,
        source: (!source.is_empty()).then(|| source.join("\n")),
    }
}

fn place_in_source(location: &Location) -> String {
    format!("{}:{}:{}", location.input_file.filename, location.start_line, location.start_col)
}
