//! The file of an executable of Cairo 1.

use std::collections::HashMap;
use std::sync::Arc;

use cairo_lang_casm::hints::Hint;
use cairo_vm::Felt252;
use cairo_vm::serde::deserialize_program::{ApTracking, FlowTrackingData, HintParams, ReferenceManager};
use cairo_vm::types::builtin_name::BuiltinName;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::MaybeRelocatable;
use num_bigint::BigInt;
use num_traits::Num;
use proof_format::text::{excerpt, parser_message};
use serde::Deserialize;

use crate::{Kind, Problem};

/// The file. Its debug information is left out.
#[derive(Deserialize)]
struct Executable {
    program: Bytecode,
    entrypoints: Vec<EntryPoint>,
}

#[derive(Deserialize)]
struct Bytecode {
    /// Signed hexadecimal numbers: a backward jump is written as "-0xc".
    bytecode: Vec<String>,
    /// Hints by the index of the word before which they run, in the order in which they run.
    hints: Vec<(usize, Vec<Hint>)>,
}

#[derive(Deserialize)]
struct EntryPoint {
    builtins: Vec<BuiltinName>,
    offset: usize,
    kind: EntryPointKind,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(in crate::vm) enum EntryPointKind {
    /// The entry that calls `main` and then loops: the statement's own form.
    Standalone,
    /// The entry that a bootloader calls.
    Bootloader,
}

/// Words from the Standalone entry to the loop at which a run ends: `ap += n` (2 words), `call` (2 words), `jmp rel 0`.
pub(super) const END_OF_ENTRY: usize = 4;

/// Letters of a number or of a name in a hint: more than twice the letters of a felt, for numbers may be negative and
/// unreduced.
const LONGEST: usize = 256;

/// Whether a text in it is longer than [`LONGEST`].
fn has_long_text(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.len() > LONGEST,
        serde_json::Value::Array(values) => values.iter().any(has_long_text),
        serde_json::Value::Object(members) => {
            members.iter().any(|(name, value)| name.len() > LONGEST || has_long_text(value))
        }
        _ => false,
    }
}

/// An executable with one of its entry points.
pub(in crate::vm) struct Parsed {
    pub(in crate::vm) program: Program,
    /// The builtins that the entry point takes.
    pub(super) builtins: Vec<BuiltinName>,
    /// In the order of the program's hints.
    pub(in crate::vm) hints: Arc<[Hint]>,
    /// The numbers of the hints before each word, up to the last word that has one.
    pub(in crate::vm) hints_at: Vec<Vec<usize>>,
}

/// Parses an executable with one of its entry points.
pub(in crate::vm) fn parse(bytes: &[u8], kind: EntryPointKind) -> Result<Parsed, Problem> {
    let malformed = |why: String| Problem::Malformed { kind: Kind::Executable, why };
    let executable: Executable =
        serde_json::from_slice(bytes).map_err(|error| malformed(parser_message(&error.to_string())))?;
    let entry = executable.entrypoints.iter().find(|entry| entry.kind == kind).ok_or_else(|| {
        malformed(format!("it has no {kind:?} entry point. Build it without `unsafe-panic` for `scarb execute`"))
    })?;
    let words = executable
        .program
        .bytecode
        .iter()
        .enumerate()
        .map(|(index, text)| {
            word(text)
                .ok_or_else(|| malformed(format!("word {index} is \"{}\", not a hexadecimal number", excerpt(text))))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let is_proof = kind == EntryPointKind::Standalone;
    // The statement gives the program from its first word on, and demands the entry sequence there.
    if is_proof && entry.offset != 0 {
        return Err(malformed(format!("its Standalone entry point is word {}, not the first word", entry.offset)));
    }
    if words.len() <= END_OF_ENTRY {
        return Err(malformed(format!("it has {} words, too few for an entry point", words.len())));
    }

    let mut program_hints: HashMap<usize, Vec<HintParams>> = HashMap::new();
    let mut hints_at: Vec<Vec<usize>> = Vec::new();
    let mut hints = Vec::new();
    for (pc, at_pc) in executable.program.hints {
        for hint in at_pc {
            // All texts of a hint are read each time that it runs.
            if serde_json::to_value(&hint).is_ok_and(|hint| has_long_text(&hint)) {
                return Err(malformed(format!(
                    "a hint at word {pc} has a number or a name of more than {LONGEST} letters"
                )));
            }
            program_hints.entry(pc).or_default().push(params(hints.len()));
            // Hints behind the last word never run.
            if pc < words.len() {
                hints_at.resize_with(hints_at.len().max(pc + 1), Vec::new);
                hints_at[pc].push(hints.len());
            }
            hints.push(hint);
        }
    }
    let (builtins, start) = (entry.builtins.clone(), entry.offset);
    let references = ReferenceManager { references: Vec::new() };
    let (names, attributes, locations) = (HashMap::new(), Vec::new(), None);
    let program = if is_proof {
        let end = start + END_OF_ENTRY;
        Program::new_for_proof(
            builtins.clone(),
            words,
            start,
            end,
            program_hints,
            references,
            names,
            attributes,
            locations,
        )
    } else if start < words.len() {
        Program::new(builtins.clone(), words, Some(start), program_hints, references, names, attributes, locations)
    } else {
        return Err(malformed(format!("its Bootloader entry point is word {start}, and it has {}", words.len())));
    };
    let program = program.map_err(|error| malformed(parser_message(&error.to_string())))?;
    Ok(Parsed { program, builtins, hints: hints.into(), hints_at })
}

fn word(text: &str) -> Option<MaybeRelocatable> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.strip_prefix("0x")?),
        None => (false, text.strip_prefix("0x")?),
    };
    let valid = !digits.is_empty() && digits.len() <= 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = valid.then(|| BigInt::from_str_radix(digits, 16).ok())??;
    let felt = Felt252::from(if negative { -number } else { number });
    Some(MaybeRelocatable::Int(felt))
}

/// cairo-vm keeps a text for each hint; ours is the index of the hint, which the processor turns back.
fn params(index: usize) -> HintParams {
    HintParams {
        code: index.to_string(),
        accessible_scopes: Vec::new(),
        flow_tracking_data: FlowTrackingData { ap_tracking: ApTracking::default(), reference_ids: HashMap::new() },
    }
}
