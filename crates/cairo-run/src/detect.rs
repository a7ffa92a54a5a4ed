//! How to tell the kinds of input apart by their content.

use proof_format::text::parser_message;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::instruction::AP_ADD_IMM;
use crate::{Kind, Problem};

/// The keys that tell one kind of JSON file from another; values are skipped.
#[derive(Deserialize)]
struct Keys {
    entrypoints: Option<IgnoredAny>,
    identifiers: Option<IgnoredAny>,
    state_transitions: Option<IgnoredAny>,
    sierra_program: Option<IgnoredAny>,
    type_declarations: Option<IgnoredAny>,
    entry_points_by_type: Option<IgnoredAny>,
    stark_proof: Option<IgnoredAny>,
}

/// The beginnings of files that are no input: their kind, and the commands that take them.
const OTHERS: [(&[u8], &str); 6] = [
    (
        b"\x89PSAR\r\n\x1a",
        "the file is an AIR, not a program: `polystark prove --air-file` takes it, with the trace in --trace-file",
    ),
    (b"\x93NUMPY", TRACE),
    (b"ARROW1", TRACE),
    (&proof_format::file::MAGIC, "the file is the proof of an AIR, not a program: `polystark verify` takes it"),
    (b"BZh", PROOF),
    (b"PK\x03\x04", "the file is a zip archive, not a program"),
];

const TRACE: &str =
    "the file is a table, not a program: `polystark prove --trace-file` takes it, with its AIR in --air-file";

const PROOF: &str = "the file is the proof of a Cairo program, not a program: `polystark cairo verify` takes it";

const PIE: &str = "the file is a CairoPIE, the run of a bootloader's task, which has no proof of its own. `polystark cairo inspect` \
                   shows it, and `polystark cairo prove --tasks LIST` proves it in a bootloader. Here give the program itself";

const ARRAY: &str = "the file is a JSON array, not a program. Arguments of an executable go to `--args-file`, the output that is \
                     expected to `cairo verify --expect-output`; a proof in the format cairo-serde is for the verifier in Cairo";

/// A sentence about bytes that are known to be no input.
fn other(bytes: &[u8]) -> Option<&'static str> {
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    let (start, text) = OTHERS.into_iter().find(|(start, _)| bytes.starts_with(start))?;
    // The names of the files in a zip archive are not packed.
    Some(if start == b"PK\x03\x04" && has(b"execution_resources.json") && has(b"memory.bin") { PIE } else { text })
}

/// Whether the first character that is no white space opens a JSON object.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// Whether the bytes are a JSON text that is no object.
fn is_other_json(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    // Bincode begins with a length below 2^32 in 8 bytes.
    !bytes[..bytes.len().min(8)].contains(&0) && matches!(first, Some(b'[' | b'"' | b'-' | b'0'..=b'9'))
}

/// Whether bytes begin as the bincode of a proof: with the length of its program, the id of the first word, and that
/// word, which is always `ap += imm`.
fn is_proof(bytes: &[u8]) -> bool {
    bytes.get(12..44).is_some_and(|word| word[..16] == AP_ADD_IMM.to_le_bytes() && word[16..] == [0; 16])
}

/// The kind of an input. Bytes that are no JSON and nothing else that is known are taken for bincode, the only other
/// form.
pub(crate) fn detect(bytes: &[u8]) -> Result<Kind, Problem> {
    if bytes.is_empty() {
        return Err(Problem::UnknownKind("the file is empty".into()));
    }
    if let Some(what) = other(bytes) {
        return Err(Problem::UnknownKind(what.into()));
    }
    if is_other_json(bytes) && serde_json::from_slice::<IgnoredAny>(bytes).is_ok() {
        let is_array = bytes.trim_ascii_start().starts_with(b"[");
        return Err(Problem::UnknownKind(if is_array { ARRAY } else { "the file is JSON, but no program" }.into()));
    }
    if !is_json(bytes) {
        return if is_proof(bytes) { Err(Problem::UnknownKind(PROOF.into())) } else { Ok(Kind::ProverInput) };
    }
    let keys: Keys = serde_json::from_slice(bytes).map_err(|error| {
        let said = parser_message(&error.to_string());
        Problem::UnknownKind(format!("the file begins like JSON, but it is not: {said}. Write the file anew"))
    })?;
    let unknown = |what: &str| Err(Problem::UnknownKind(what.into()));
    if keys.state_transitions.is_some() {
        Ok(Kind::ProverInput)
    } else if keys.stark_proof.is_some() {
        unknown(PROOF)
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
