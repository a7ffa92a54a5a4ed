//! The report of a run that fails: place, fault, and the calls that led there.

use cairo_vm::serde::deserialize_program::Location;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::runner_errors::RunnerError;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::errors::vm_exception::{get_error_attr_value, get_location};
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use proof_format::text::{MAX_PARSER_MESSAGE, cut, excerpt, lines, words};

use super::bootloader;
use crate::Failure;

/// The segment of the program, and that of the stack.
const PROGRAM: isize = 0;
const STACK: isize = 1;

/// The failure of a run at the instruction where it stands, in the hint of this number if one failed there.
///
/// The files that the program says it was compiled from are named, and not read: a stranger's program may name any.
pub(super) fn here(runner: &mut CairoRunner, hint: Option<usize>, message: String) -> Failure {
    let task = bootloader::stopped(&runner.exec_scopes, runner.vm.get_pc());
    let pc = in_program(runner.vm.get_pc());
    let location = pc.and_then(|pc| get_location(pc, runner, hint));
    let mut source = Vec::new();
    source.extend(location.as_ref().map(|location| format!("in {}", place(location))));
    source.extend(pc.and_then(|pc| error_message(runner, pc)));
    let calls = calls(runner, location.is_some());
    if !calls.is_empty() {
        source.push(format!("Cairo traceback (most recent call last):\n{}", calls.join("\n")));
    }
    Failure {
        pc: pc.map(|pc| pc as u64 + 1),
        task,
        message: lines(&cut(&words(&message), MAX_PARSER_MESSAGE)),
        panic: None,
        source: (!source.is_empty()).then(|| source.join("\n")),
    }
}

/// The failure that cairo-vm names.
pub(super) fn of_machine(runner: &mut CairoRunner, error: &VirtualMachineError) -> Failure {
    match error {
        // The error of a hint names the hint by its index; its message is the inner error.
        VirtualMachineError::Hint(hint) => {
            let said = match &hint.1 {
                HintError::CustomHint(text) => text.to_string(),
                error => error.to_string(),
            };
            here(runner, Some(hint.0), format!("a hint failed: {said}"))
        }
        error => here(runner, None, error.to_string()),
    }
}

/// The failure of a run before its first step or after its last one.
pub(super) fn around(error: &RunnerError) -> Failure {
    let remedy =
        "Let main return the pointers of all builtins that it takes, in their order, each behind what was used of it";
    let message = match error {
        RunnerError::NoStopPointer(builtin) => {
            format!("main does not hand back the pointer of the builtin {}. {remedy}", builtin.to_str())
        }
        RunnerError::InvalidStopPointer(_) | RunnerError::InvalidStopPointerIndex(_) => format!("{error}. {remedy}"),
        error => error.to_string(),
    };
    Failure { pc: None, task: None, message, panic: None, source: None }
}

/// The offset of a word of the program.
fn in_program(pc: Relocatable) -> Option<usize> {
    (pc.segment_index == PROGRAM).then_some(pc.offset)
}

/// The messages that the program has for errors at a word (`with_attr error_message`), with the values that their
/// variables have in the frame of `fp`.
fn error_message(runner: &CairoRunner, pc: usize) -> Option<String> {
    get_error_attr_value(pc, runner).map(|text| lines(&cut(text.trim_end(), MAX_PARSER_MESSAGE)))
}

/// The calls that led to where the run stands: with their places if the program says where it is in its source, else
/// only calls that have a message.
fn calls(runner: &mut CairoRunner, has_places: bool) -> Vec<String> {
    let fp = runner.vm.get_fp();
    let mut calls = Vec::new();
    for (frame, pc) in runner.vm.get_traceback_entries() {
        let offset = in_program(pc);
        // Variables are found by the registers, so that a message is made in its own frame.
        if frame.segment_index == STACK {
            runner.vm.set_fp(frame.offset);
            calls.extend(offset.and_then(|offset| error_message(runner, offset)));
        }
        if has_places {
            let location = offset.and_then(|offset| get_location(offset, runner, None));
            let location = location.as_ref().map_or("Unknown location".to_owned(), place);
            calls.push(format!("{location} (pc={pc})"));
        }
    }
    runner.vm.set_fp(fp.offset);
    calls
}

fn place(location: &Location) -> String {
    let file = excerpt(&location.input_file.filename);
    format!("{file}:{}:{}", location.start_line, location.start_col)
}
