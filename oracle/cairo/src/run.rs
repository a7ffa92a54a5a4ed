//! Runs of compiled programs as the reference makes them: cairo-vm, then stwo-cairo's adapter.

use cairo_vm::cairo_run::{CairoRunConfig, cairo_run_program_with_initial_scope};
use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::BuiltinHintProcessor;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::layout_name::LayoutName;
use cairo_vm::types::program::Program;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use stwo_cairo_adapter::adapter::adapt as adapt_run;
use stwo_cairo_adapter::{ProverInput, PublicSegmentContext};

/// A compiled program, parsed.
pub fn parse(json: &[u8]) -> Result<Program, String> {
    Program::from_bytes(json, Some("main")).map_err(|error| error.to_string())
}

/// Runs a program without hints in proof mode.
pub fn run(program: &Program) -> Result<CairoRunner, String> {
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
    let mut hints = BuiltinHintProcessor::new_empty();
    cairo_run_program_with_initial_scope(program, &config, &mut hints, ExecutionScopes::new())
        .map_err(|error| error.to_string())
}

/// Adapts a run. The adapter states the segments of a program that takes all builtins; the segments of other programs
/// are stated here.
pub fn adapt(program: &Program, runner: &CairoRunner) -> Result<ProverInput, String> {
    let mut input = adapt_run(runner).map_err(|error| error.to_string())?;
    input.public_segment_context = PublicSegmentContext::new(&program.iter_builtins().copied().collect::<Vec<_>>());
    Ok(input)
}
