//! The kinds of input, and how to tell them apart by their content.

use std::fmt;

use proof_format::text::said;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Problem;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// JSON of the Cairo 0 compiler (`cairo-compile --proof_mode`): words, identifiers, builtins, hints.
    Compiled,
    /// `executable.json` of the Cairo 1 compiler: a bytecode with hints and entry points.
    Executable,
    /// A ProverInput of stwo-cairo-adapter, in JSON or in bincode 1.
    ProverInput,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Compiled => "a compiled program",
            Kind::Executable => "an executable of Cairo 1",
            Kind::ProverInput => "a ProverInput",
        })
    }
}

/// The keys that tell one kind of JSON file from another; values are skipped.
#[derive(Deserialize)]
struct Keys {
    entrypoints: Option<IgnoredAny>,
    identifiers: Option<IgnoredAny>,
    state_transitions: Option<IgnoredAny>,
    sierra_program: Option<IgnoredAny>,
    type_declarations: Option<IgnoredAny>,
    entry_points_by_type: Option<IgnoredAny>,
}

/// Whether the first character that is no white space opens a JSON object.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// The kind of an input. Bytes that are no JSON object are taken for bincode, the only other form.
pub(super) fn detect(bytes: &[u8]) -> Result<Kind, Problem> {
    if bytes.is_empty() {
        return Err(Problem::UnknownKind("the file is empty".into()));
    }
    if !is_json(bytes) {
        return Ok(Kind::ProverInput);
    }
    let keys: Keys = serde_json::from_slice(bytes).map_err(|error| {
        let said = said(&error.to_string());
        Problem::UnknownKind(format!("the file begins like JSON, but it is not: {said}. Write the file anew"))
    })?;
    let unknown = |what: &str| Err(Problem::UnknownKind(what.into()));
    if keys.state_transitions.is_some() {
        Ok(Kind::ProverInput)
    } else if keys.entrypoints.is_some() {
        Ok(Kind::Executable)
    } else if keys.identifiers.is_some() {
        Ok(Kind::Compiled)
    } else if keys.entry_points_by_type.is_some() {
        unknown("the file is a Starknet contract, which is no program by itself. Build an `[executable]` target")
    } else if keys.sierra_program.is_some() || keys.type_declarations.is_some() {
        unknown("the file is Sierra. Build an `[executable]` target and give its executable.json")
    } else {
        unknown(
            "the JSON object has none of the keys `identifiers` (compiled program), `entrypoints` (executable) and \
             `state_transitions` (ProverInput)",
        )
    }
}
