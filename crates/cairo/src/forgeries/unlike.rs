//! Runs that the AIR takes and the Cairo machine refuses: programs that write a test's values into the cells of
//! builtins, the machine, and the AIR.
//!
//! The machine is cairo-vm with the checks that it makes of a run to be secured (`secure_run`); its proof mode alone
//! leaves them out.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cairo_run::{BuiltinName, Felt252, Options, Problem, Refusal, Run, load, read_prover_input};
use cairo_vm::cairo_run::{CairoRunConfig, cairo_run};
use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::BuiltinHintProcessor;
use cairo_vm::types::layout_name::LayoutName;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use circle_air::{Statement, qm31};
use field::{M31, QM31};
use serde_json::{Value, json};

use super::run::Case;
use crate::preprocessed::Variant;

/// A compiled program of `vectors`.
pub(super) fn compiled(path: &str) -> Value {
    let path = format!("{}/../../vectors/{path}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(super) fn bytes(program: &Value) -> Vec<u8> {
    serde_json::to_vec(program).unwrap()
}

/// Runs a program with the machine's checks for a secured run, or without.
fn ran(program: &[u8], secured: bool) -> Result<CairoRunner, String> {
    let config = CairoRunConfig {
        trace_enabled: true,
        layout: LayoutName::all_cairo_stwo,
        proof_mode: true,
        fill_holes: true,
        secure_run: Some(secured),
        disable_trace_padding: true,
        allow_missing_builtins: Some(true),
        ..CairoRunConfig::default()
    };
    let run = || cairo_run(program, &config, &mut BuiltinHintProcessor::new_empty()).map_err(|error| error.to_string());
    // It panics where it divides by a modulus of zero.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("it panics".into()))
}

/// The machine's verdict about a program.
pub(super) fn machine(program: &Value) -> Result<(), String> {
    ran(&bytes(program), true).map(drop)
}

/// The run of a program that takes all builtins, of which nothing is checked.
pub(super) fn unchecked(program: &[u8]) -> Run {
    let run = stwo_cairo_adapter::adapter::adapt(&ran(program, false).unwrap()).unwrap();
    read_prover_input(&bincode1::serialize(&run).unwrap()).unwrap()
}

/// The refusal of a program, or of a run that was made elsewhere.
pub(super) fn refusal(input: &[u8]) -> Refusal {
    match load(input, &Options::default()).map(drop).map_err(|error| *error.problem) {
        Err(Problem::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Asserts that a run which nobody has checked satisfies all constraints of all components, and that its lookups and
/// its public data add up to zero: so there is a proof of it.
pub(super) fn assert_satisfied(input: &Run, variant: Variant) {
    let drawn = [3, 5].map(|k| QM31([k, 2 * k + 1, 1 << k, 1_000_003 * k].map(M31::new)));
    let run = Case::of(input, variant, drawn);
    let sums: Vec<_> = run.parts.iter().map(|part| (part, part.see(&part.rows()))).collect();
    for (part, seen) in &sums {
        assert_eq!(seen.broken, 0, "{}", part.name);
    }
    let sums: Vec<_> = sums.into_iter().map(|(_, seen)| qm31(seen.sum)).collect();
    run.statement.check_claimed_sums(&drawn, &sums).unwrap();
}

/// The content of a builtin's cell.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    Felt(Felt252),
    /// A pointer to a word of the program's data, which may be one before them.
    Data(i64),
    /// Nothing: the program passes over it.
    Hole,
}

/// A program that writes the cells of builtins, one after the other, and returns the pointers behind them.
#[derive(Default)]
pub(super) struct Program {
    pub(super) data: Vec<Felt252>,
    pub(super) cells: BTreeMap<BuiltinName, Vec<Cell>>,
}

/// The word of an instruction, `[ap] = ..; ap++` or an assertion: its flags, then the offsets of op1, op0 and dst.
fn word(flags: u64, offsets: [i64; 3]) -> String {
    let biased = offsets.map(|offset| u64::try_from(offset + (1 << 15)).unwrap());
    format!("{:#x}", flags << 48 | biased[0] << 32 | biased[1] << 16 | biased[2])
}

impl Program {
    /// The first word of the data.
    const DATA: usize = 8;

    pub(super) fn writes(&mut self, builtin: BuiltinName, cells: impl IntoIterator<Item = Cell>) {
        self.cells.entry(builtin).or_default().extend(cells);
    }

    pub(super) fn json(&self) -> Value {
        let imm = |value: i64| Felt252::from(value).to_hex_string();
        let main = (Self::DATA + self.data.len()) as i64;
        let mut words: Vec<String> = vec![
            "0x40780017fff7fff".into(),
            imm(BuiltinName::PUBLIC.len() as i64),
            "0x1104800180018000".into(),
            imm(main - 2),
            "0x10780017fff7fff".into(),
            imm(0),
            // A function that returns the address to which it returns.
            word(0x480a, [-1, -1, 0]),
            "0x208b7fff7fff7ffe".into(),
        ];
        words.extend(self.data.iter().map(Felt252::to_hex_string));
        words.extend(["0x1104800180018000".into(), imm(6 - main)]);
        // Main has the pointer of the first builtin at `[fp - 13]`; the order of builtins is that of their names.
        let pointer = |builtin: BuiltinName| builtin as i64 - 13;
        for (builtin, cells) in &self.cells {
            for (at, cell) in (0..).zip(cells) {
                match cell {
                    Cell::Felt(felt) => words.extend([word(0x4806, [1, -1, 0]), felt.to_hex_string()]),
                    // From the address behind the call, which the function left at [fp + 2].
                    Cell::Data(index) => {
                        words.extend([word(0x4826, [1, 2, 0]), imm(Self::DATA as i64 + index - main - 2)])
                    }
                    Cell::Hole => continue,
                }
                // [[fp + pointer] + at] = [ap - 1]
                words.push(word(0x4002, [at, pointer(*builtin), -1]));
            }
        }
        for builtin in BuiltinName::PUBLIC {
            let used = self.cells.get(&builtin).map_or(0, Vec::len) as i64;
            words.extend([word(0x4826, [1, pointer(builtin), 0]), imm(used)]);
        }
        words.push("0x208b7fff7fff7ffe".into());
        let mut program = compiled("faults/addmod7");
        program["data"] = json!(words);
        program["identifiers"]["__main__.main"]["pc"] = json!(main);
        program
    }
}
