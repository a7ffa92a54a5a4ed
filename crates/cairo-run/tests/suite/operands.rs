//! Hints with 2^40 in their operands, one by one, in 256 MiB: all that they do with it stays within the bounds of the
//! run.

use std::process::Command;
use std::time::{Duration, Instant};

use cairo_run::{Options, Problem, load};
use cairo_vm::hint_processor::builtin_hint_processor::hint_code::HINT_CODES;
use serde_json::{Value, json};

use super::assembler::*;

const FAR: i64 = 1 << 40;

/// Runs the test of this name again, in a process with little memory, where `far` does the tested work. A request for
/// too much memory aborts there.
fn in_little_memory(name: &str, far: impl Fn()) {
    const CHILD: &str = "POLYSTARK_TEST_IN_LITTLE_MEMORY";
    if std::env::var_os(CHILD).is_some() {
        return far();
    }
    if !cfg!(target_os = "linux") {
        return;
    }
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 262144; ulimit -t 60; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args([name, "--exact", "--test-threads", "1"])
        .envs([(CHILD, "1"), ("RAYON_NUM_THREADS", "1"), ("MALLOC_ARENA_MAX", "1")])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("1 passed"), "{:?}: {said}", output.status);
}

/// Runs a program within bounds, and a second.
fn run(program: &Value, what: &str) -> Result<(), Problem> {
    let start = Instant::now();
    let options = Options { max_steps: 2000, max_addresses: 100_000, ..Options::default() };
    let result = load(&serde_json::to_vec(program).unwrap(), &options).map(drop).map_err(|error| *error.problem);
    assert!(start.elapsed() < Duration::from_secs(1), "{what} took {:?}", start.elapsed());
    result
}

fn cell(offset: i32) -> Value {
    json!({"register": "FP", "offset": offset})
}

/// A number, and a pointer into the output.
fn number(value: i64) -> Value {
    json!({"Immediate": format!("{value:#x}")})
}

fn pointer(offset: i64) -> Value {
    json!({"BinOp": {"op": "Add", "a": cell(-3), "b": number(offset)}})
}

type Names = &'static [&'static str];

/// The hints of executables with operands: numbers, pointers, and cells.
const HINTS: [(&str, Names, Names, Names); 27] = [
    ("AllocConstantSize", &["size"], &[], &["dst"]),
    ("TestLessThan", &["lhs", "rhs"], &[], &["dst"]),
    ("TestLessThanOrEqual", &["lhs", "rhs"], &[], &["dst"]),
    ("TestLessThanOrEqualAddress", &[], &["lhs", "rhs"], &["dst"]),
    ("WideMul128", &["lhs", "rhs"], &[], &["high", "low"]),
    ("DivMod", &["lhs", "rhs"], &[], &["quotient", "remainder"]),
    (
        "Uint256DivMod",
        &["dividend0", "dividend1", "divisor0", "divisor1"],
        &[],
        &["quotient0", "quotient1", "remainder0", "remainder1"],
    ),
    (
        "Uint512DivModByUint256",
        &["dividend0", "dividend1", "dividend2", "dividend3", "divisor0", "divisor1"],
        &[],
        &["quotient0", "quotient1", "quotient2", "quotient3", "remainder0", "remainder1"],
    ),
    ("SquareRoot", &["value"], &[], &["dst"]),
    (
        "Uint256SquareRoot",
        &["value_low", "value_high"],
        &[],
        &["sqrt0", "sqrt1", "remainder_low", "remainder_high", "sqrt_mul_2_minus_remainder_ge_u128"],
    ),
    ("LinearSplit", &["value", "scalar", "max_x"], &[], &["x", "y"]),
    ("AllocFelt252Dict", &[], &["segment_arena_ptr"], &[]),
    ("Felt252DictEntryInit", &["key"], &["dict_ptr"], &[]),
    ("Felt252DictEntryUpdate", &["value"], &["dict_ptr"], &[]),
    ("GetSegmentArenaIndex", &[], &["dict_end_ptr"], &["dict_index"]),
    ("InitSquashData", &["ptr_diff", "n_accesses"], &["dict_accesses"], &["big_keys", "first_key"]),
    ("GetCurrentAccessIndex", &[], &["range_check_ptr"], &[]),
    ("AssertLeFindSmallArcs", &["a", "b"], &["range_check_ptr"], &[]),
    ("FieldSqrt", &["val"], &[], &["sqrt"]),
    ("DebugPrint", &[], &["start", "end"], &[]),
    (
        "U256InvModN",
        &["b0", "b1", "n0", "n1"],
        &[],
        &["g0_or_no_inv", "g1_option", "s_or_r0", "s_or_r1", "t_or_k0", "t_or_k1"],
    ),
    ("EvalCircuit", &["n_add_mods", "n_mul_mods"], &["add_mod_builtin", "mul_mod_builtin"], &[]),
    ("Felt252DictRead", &["key"], &["dict_ptr"], &["value_dst"]),
    ("Felt252DictWrite", &["key", "value"], &["dict_ptr"], &[]),
    ("WriteRunParam", &["index"], &[], &["dst"]),
    ("AddMarker", &[], &["start", "end"], &[]),
    ("AddRelocationRule", &[], &["src", "dst"], &[]),
];

/// An executable whose main runs the hint and ends.
fn executable(hint: &Value, cells: usize) -> Value {
    let main = [&advance(cells as i64)[..], &push_fp(-3), &ret()];
    let program = output_program(&main);
    json!({
        "program": {"bytecode": program["data"], "hints": [[6, [hint]]]},
        "entrypoints": [{"builtins": ["output"], "offset": 0, "kind": "Standalone"}],
    })
}

#[test]
fn far_operands_of_hints_of_executables() {
    in_little_memory("operands::far_operands_of_hints_of_executables", || {
        for (name, numbers, pointers, cells) in HINTS {
            let pointers = pointers.iter().map(|name| (*name, false));
            let operands: Vec<_> = numbers.iter().map(|name| (*name, true)).chain(pointers).collect();
            // Each operand far away, as a number and as a pointer; then all of them.
            for far in 0..=operands.len() {
                for is_pointer in [false, true] {
                    let mut hint = json!({});
                    for (index, (operand, is_number)) in operands.iter().enumerate() {
                        let is_far = far == index || far == operands.len();
                        let offset = if is_far { FAR } else { 3 };
                        let as_number = if far == index { !is_pointer } else { *is_number };
                        hint[*operand] = if as_number { number(offset) } else { pointer(offset) };
                    }
                    cells.iter().zip(0..).for_each(|(name, offset)| hint[*name] = cell(offset));
                    let what = format!("{name}, {hint}");
                    let result = run(&executable(&json!({name: hint}), cells.len()), &what);
                    assert!(
                        !matches!(result, Err(Problem::Unforeseen(_) | Problem::Malformed { .. })),
                        "{what}: {result:?}"
                    );
                }
            }
        }
    });
}

/// A compiled program with a hint whose variables have these values: a number, or a pointer so far behind the output's.
fn compiled(code: &str, names: &[&str], values: &[(bool, i64)]) -> Value {
    let mut main: Vec<Vec<String>> = Vec::new();
    for (is_pointer, value) in values {
        main.push(if *is_pointer { push_fp_plus(-3, *value).to_vec() } else { push_imm(*value).to_vec() });
    }
    let hint_at = 6 + main.iter().map(Vec::len).sum::<usize>();
    main.extend([advance(64).to_vec(), push_fp(-3).to_vec(), ret().to_vec()]);
    let words: Vec<&[String]> = main.iter().map(Vec::as_slice).collect();
    let mut program = output_program(&words);
    let tracking = json!({"group": 0, "offset": 0});
    let ids: serde_json::Map<String, Value> =
        names.iter().enumerate().map(|(index, name)| (format!("__main__.main.{name}"), index.into())).collect();
    program["hints"] = json!({hint_at.to_string(): [{"code": code, "accessible_scopes": ["__main__", "__main__.main"],
        "flow_tracking_data": {"ap_tracking": tracking, "reference_ids": ids}}]});
    let references: Vec<Value> = (0..names.len())
        .map(|index| json!({"ap_tracking_data": tracking, "pc": 0, "value": format!("[cast(fp + {index}, felt*)]")}))
        .collect();
    program["reference_manager"] = json!({"references": references});
    for name in ["KECCAK_STATE_SIZE_FELTS", "BLOCK_SIZE", "SHA256_INPUT_CHUNK_SIZE_FELTS", "KECCAK_FULL_RATE_IN_BYTES"]
    {
        program["identifiers"][format!("__main__.{name}")] = json!({"type": "const", "value": 16});
    }
    program
}

fn names(code: &str) -> Vec<&str> {
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut names: Vec<&str> = code
        .split("ids.")
        .skip(1)
        .map(|rest| &rest[..rest.find(|char| !is_of_name(char)).unwrap_or(rest.len())])
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn far_operands_of_hints_of_the_library() {
    in_little_memory("operands::far_operands_of_hints_of_the_library", || {
        let mut codes: Vec<_> = HINT_CODES.iter().collect();
        codes.sort_unstable();
        assert!(codes.len() > 150, "{}", codes.len());
        for (name, code) in codes {
            let variables = names(code);
            for far in 0..variables.len() {
                for (is_pointer, others) in [(false, false), (false, true), (true, false), (true, true)] {
                    let value = |index| if index == far { (is_pointer, FAR) } else { (others, 2) };
                    let values: Vec<_> = (0..variables.len()).map(value).collect();
                    let what = format!("{name}: {} is far, {is_pointer} {others}", variables[far]);
                    let result = run(&compiled(code, &variables, &values), &what);
                    assert!(!matches!(result, Err(Problem::Malformed { .. })), "{what}: {result:?}");
                }
            }
        }
    });
}

/// Scopes that are opened and never closed take memory.
#[test]
fn hints_that_keep_memory() {
    let jump = vec![word([-1, -1, 1], DST_FP | OP0_FP | IMM | REL), imm(0)];
    let mut program = output_program(&[&jump]);
    program["hints"] = json!({"6": [{"code": "vm_enter_scope()", "accessible_scopes": [], "flow_tracking_data":
        {"ap_tracking": {"group": 0, "offset": 0}, "reference_ids": {}}}]});
    let options = Options { max_memory: Some(8 << 20), ..Options::default() };
    let error = load(&serde_json::to_vec(&program).unwrap(), &options).unwrap_err().to_string();
    assert!(error.contains("more memory"), "{error}");
    // Without the hint this many steps take less.
    program["hints"] = json!({});
    let error = load(&serde_json::to_vec(&program).unwrap(), &Options { max_steps: 10_000, ..options }).unwrap_err();
    assert!(error.to_string().contains("--max-steps"), "{error}");
}

/// A hint that loops and writes by its operands is refused before, by the flag that allows it.
#[test]
fn hints_that_loop_or_write_by_an_operand() {
    use cairo_vm::hint_processor::builtin_hint_processor::hint_code::*;
    let refused = |code: &str, values: &[(&str, bool, i64)], bound: &str| {
        let names: Vec<&str> = values.iter().map(|(name, ..)| *name).collect();
        let values: Vec<_> = values.iter().map(|(_, is_pointer, value)| (*is_pointer, *value)).collect();
        match run(&compiled(code, &names, &values), bound) {
            Err(Problem::Failed(failure)) => assert!(failure.message.contains(bound), "{code}: {failure}"),
            other => panic!("{code}: {other:?}"),
        }
    };
    let (steps, addresses) = ("--max-steps", "--max-addresses");
    refused(FIND_ELEMENT, &[("n_elms", false, FAR), ("elm_size", false, 1), ("array_ptr", true, 0)], steps);
    refused(SEARCH_SORTED_LOWER, &[("n_elms", false, FAR), ("elm_size", false, 1), ("array_ptr", true, 0)], steps);
    refused(SET_ADD, &[("set_ptr", true, 0), ("set_end_ptr", true, 50_000), ("elm_size", false, 2)], steps);
    refused(USORT_BODY, &[("input_len", false, FAR), ("input", true, 0)], steps);
    refused(SQUASH_DICT, &[("n_accesses", false, FAR), ("ptr_diff", false, 3), ("dict_accesses", true, 0)], steps);
    refused(UNSAFE_KECCAK, &[("length", false, FAR), ("data", true, 0)], steps);
    refused(CHAINED_EC_OP_RANDOM_EC_POINT, &[("len", false, FAR)], steps);
    refused(BLAKE2S_UNPACK_FELTS, &[("packed_values_len", false, FAR), ("unpacked_u32s", true, 0)], steps);
    refused(
        SPLIT_INT,
        &[("output", true, FAR), ("value", false, 1), ("base", false, 1), ("bound", false, 1)],
        addresses,
    );
    refused(BLAKE2S_COMPUTE, &[("output", true, FAR)], addresses);
    refused("memory[ids.p] = program_input", &[("p", true, FAR)], addresses);
}
