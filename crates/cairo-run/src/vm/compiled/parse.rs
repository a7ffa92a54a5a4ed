//! The file of a compiled program of Cairo 0.

use cairo_vm::types::errors::program_errors::ProgramError;
use cairo_vm::types::program::Program;
use proof_format::text::parser_message;

use crate::{Kind, Problem};

/// Where a program begins and ends.
pub(super) const LABELS: [&str; 2] = ["__main__.__start__", "__main__.__end__"];

/// Parses a program in proof mode.
pub(in crate::vm) fn parsed(bytes: &[u8]) -> Result<Program, Problem> {
    let program = parse(bytes)?;
    for label in LABELS {
        if program.get_identifier(label).and_then(|identifier| identifier.pc).is_none_or(|pc| pc >= program.data_len())
        {
            let why = format!("it has no label `{label}`. Compile it with --proof_mode");
            return Err(Problem::Malformed { kind: Kind::Compiled, why });
        }
    }
    Ok(program)
}

/// Parses a program that has a function `main`.
pub(in crate::vm) fn parse(bytes: &[u8]) -> Result<Program, Problem> {
    Program::from_bytes(bytes, Some("main")).map_err(|error| {
        let why = match error {
            ProgramError::EntrypointNotFound(_) => "it has no function `main`".into(),
            error => parser_message(&error.to_string()),
        };
        Problem::Malformed { kind: Kind::Compiled, why }
    })
}
