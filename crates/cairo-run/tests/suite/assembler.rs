//! Small programs for the tests: words, and the file that holds them.

use cairo_run::Felt252;
use serde_json::{Value, json};

/// Flags of an instruction.
pub(crate) const DST_FP: u128 = 1;
pub(crate) const OP0_FP: u128 = 1 << 1;
pub(crate) const IMM: u128 = 1 << 2;
pub(crate) const OP1_FP: u128 = 1 << 3;
pub(crate) const OP1_AP: u128 = 1 << 4;
pub(crate) const ADD: u128 = 1 << 5;
pub(crate) const REL: u128 = 1 << 8;
pub(crate) const AP_ADD: u128 = 1 << 10;
pub(crate) const AP1: u128 = 1 << 11;
pub(crate) const CALL: u128 = 1 << 12;
pub(crate) const ASSERT: u128 = 1 << 14;

/// The word of an instruction with these offsets (dst, op0, op1) and flags.
pub(crate) fn word(offsets: [i32; 3], flags: u128) -> String {
    let biased = |offset: i32| (offset + (1 << 15)) as u128;
    let word = biased(offsets[0]) | biased(offsets[1]) << 16 | biased(offsets[2]) << 32 | flags << 48;
    format!("{word:#x}")
}

/// An immediate.
pub(crate) fn imm(value: i64) -> String {
    Felt252::from(value).to_hex_string()
}

/// `[ap] = imm; ap++`
pub(crate) fn push_imm(value: i64) -> [String; 2] {
    [word([0, -1, 1], OP0_FP | IMM | ASSERT | AP1), imm(value)]
}

/// `[ap] = [fp + offset]; ap++`
pub(crate) fn push_fp(offset: i32) -> [String; 1] {
    [word([0, -1, offset], OP0_FP | OP1_FP | ASSERT | AP1)]
}

/// `[ap] = [fp + offset] + imm; ap++`
pub(crate) fn push_fp_plus(offset: i32, value: i64) -> [String; 2] {
    [word([0, offset, 1], OP0_FP | IMM | ADD | ASSERT | AP1), imm(value)]
}

/// `[[fp + pointer]] = [ap - 1]`
pub(crate) fn store(pointer: i32) -> [String; 1] {
    [word([-1, pointer, 0], OP0_FP | ASSERT)]
}

/// `ap += imm`
pub(crate) fn advance(value: i64) -> [String; 2] {
    [word([-1, -1, 1], DST_FP | OP0_FP | IMM | AP_ADD), imm(value)]
}

/// `ret`
pub(crate) fn ret() -> [String; 1] {
    ["0x208b7fff7fff7ffe".into()]
}

/// A program whose main takes `builtins` and has these words. `pointers` is what `ap` is advanced by before main is
/// called, which is the number of builtins in a sound program. Word 6, address 7, is the first of main.
pub(crate) fn program(builtins: &[&str], pointers: i64, main: &[&[String]]) -> Value {
    let mut data = vec![
        "0x40780017fff7fff".to_string(),
        imm(pointers),
        "0x1104800180018000".into(),
        "0x4".into(),
        "0x10780017fff7fff".into(),
        "0x0".into(),
    ];
    data.extend(main.iter().flat_map(|words| words.iter().cloned()));
    json!({
        "prime": "0x800000000000011000000000000000000000000000000000000000000000001",
        "builtins": builtins,
        "data": data,
        "identifiers": {
            "__main__.main": {"type": "function", "pc": 6, "decorators": []},
            "__main__.__start__": {"type": "label", "pc": 0},
            "__main__.__end__": {"type": "label", "pc": 4},
        },
        "hints": {},
        "reference_manager": {"references": []},
        "attributes": [],
        "debug_info": null,
        "compiler_version": "test",
        "main_scope": "__main__",
    })
}

/// A program with the output builtin alone. Main is called with the output pointer at `[fp - 3]`.
pub(crate) fn output_program(main: &[&[String]]) -> Value {
    program(&["output"], 1, main)
}
