//! Programs, their arguments, and runs that were made elsewhere: read and run, or refused. Nothing is proven.

use std::sync::LazyLock;

use cairo_run::{
    Felt252, InputError, Kind, Loaded, Options, Problem, load, parse_arguments_file, parse_arguments_list,
};
use serde_json::{Value, json};

use crate::mutate::{picked, raw};
use crate::script::Script;
use crate::{Outcome, json};

/// A case takes no more than this many steps.
const MAX_STEPS: usize = 20_000;
/// Nor more addresses.
const MAX_ADDRESSES: usize = 1 << 20;

macro_rules! programs {
    ($folder:literal: $($name:literal),+) => {
        vec![$(serde_json::from_slice(include_bytes!(concat!("../../../../vectors/", $folder, $name, ".json"))).expect("JSON")),+]
    };
}

static PROGRAMS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    programs!("cairo/programs/": "tiny", "fib_10", "bitwise_40", "blake_7", "builtins_3", "ec_op_3", "memholes_100", "modops_5_20",
        "opcodes_1", "pedersen_20", "poseidon_20", "qm31_50", "range_check96_30", "range_check_30")
});

static EXECUTABLES: LazyLock<Vec<(Value, Value)>> = LazyLock::new(|| {
    let programs: Vec<Value> = programs!("cairo1/programs/": "fib.executable", "hashes.executable", "mix.executable");
    let arguments: Vec<Value> = programs!("cairo1/programs/": "fib.args", "hashes.args", "mix.args");
    programs.into_iter().zip(arguments).collect()
});

/// Runs of small programs, in JSON and in bincode.
static INPUTS: LazyLock<Vec<(Value, Vec<u8>)>> = LazyLock::new(|| {
    let run = |program: &Value| {
        let bytes = serde_json::to_vec(program).expect("a value has a text");
        let input = load(&bytes, &Options::default()).expect("a golden program").run;
        let value = serde_json::to_value(&input).expect("an input has a value");
        (value, bincode1::serialize(&input).expect("an input has bytes"))
    };
    PROGRAMS[..4].iter().map(run).collect()
});

/// It was read, and run; or refused, for a reason that was thought of.
fn check(result: Result<Loaded, InputError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Taken,
        Err(InputError { problem, .. }) => {
            assert!(!matches!(*problem, Problem::Unforeseen(_)), "{problem}");
            Outcome::Passed
        }
    }
}

/// A changed program, now and then with a `program_input`.
pub fn program(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let (program, other) = picked(&PROGRAMS, script);
    let bytes = json::mutated(program, other, script);
    let kind = [None, Some(Kind::Compiled), Some(Kind::Executable), Some(Kind::ProverInput)];
    let kind = if script.below(16) == 0 { kind[script.below(4)] } else { None };
    let program_input = (script.below(8) == 0).then(|| json!({"iterations": script.word(), "list": [1, "0x2"]}));
    check(load(
        &bytes,
        &Options { kind, program_input, max_steps: MAX_STEPS, max_addresses: MAX_ADDRESSES, ..Options::default() },
    ))
}

/// A changed executable, or changed arguments of one.
pub fn executable(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let ((program, arguments), (other, of_other)) = picked(&EXECUTABLES, script);
    let what = script.below(3);
    let text = |value: &Value| serde_json::to_vec(value).expect("a value has a text");
    let bytes = if what == 0 { text(program) } else { json::mutated(program, other, script) };
    let words = if what == 1 { text(arguments) } else { json::mutated(arguments, of_other, script) };
    let Ok(arguments) = parse_arguments_file(&words) else { return Outcome::Passed };
    check(load(
        &bytes,
        &Options { arguments, max_steps: MAX_STEPS, max_addresses: MAX_ADDRESSES, ..Options::default() },
    ))
}

/// A changed run, which nobody vouches for.
pub fn prover_input(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let ((value, bytes), (other, of_other)) = picked(&INPUTS, script);
    let bytes = if script.below(3) > 0 { json::mutated(value, other, script) } else { raw(bytes, of_other, script) };
    check(load(&bytes, &Options::default()))
}

/// Changed arguments, of a file and of a list: the value read is the written one, and not its residue.
pub fn arguments(data: &[u8]) -> Outcome {
    let script = &mut Script::new(data);
    let ((_, arguments), (_, other)) = picked(&EXECUTABLES, script);
    let text = json::mutated(arguments, other, script);
    if let Ok(words) = parse_arguments_file(&text) {
        let text = str::from_utf8(&text).expect("it was read");
        let items = text.trim().trim_start_matches('[').trim_end_matches(']').trim();
        let texts: Vec<&str> = if items.is_empty() {
            Vec::new()
        } else {
            items.split(',').map(|item| item.trim().trim_matches('"').trim()).collect()
        };
        assert!(
            texts.len() == words.len() && texts.iter().zip(&words).all(|(text, word)| is_of(text, *word)),
            "{texts:?}"
        );
    }
    let list = "0, -1,0x5,3618502788666131213697322783095070105623107215331596699973092056135872020480";
    let other = "0x800000000000011000000000000000000000000000000000000000000000000,,-0x1, 7 ";
    let list = String::from_utf8_lossy(&raw(list.as_bytes(), other.as_bytes(), script)).into_owned();
    if let Ok(words) = parse_arguments_list(&list) {
        let texts: Vec<&str> =
            if list.trim().is_empty() { Vec::new() } else { list.split(',').map(str::trim).collect() };
        assert!(
            texts.len() == words.len() && texts.iter().zip(&words).all(|(text, word)| is_of(text, *word)),
            "{list}"
        );
    }
    Outcome::Passed
}

/// Whether a text is that of a word: the same digits.
fn is_of(text: &str, word: Felt252) -> bool {
    let digits = |text: &str| text.trim_start_matches('0').to_lowercase();
    match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(hexadecimal), _) => digits(hexadecimal) == digits(&format!("{word:x}")),
        (_, Some(negative)) => digits(negative) == digits(&(-word).to_string()),
        _ => digits(text) == digits(&word.to_string()),
    }
}
