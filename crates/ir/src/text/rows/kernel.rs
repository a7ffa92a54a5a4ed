//! The text of a kernel.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;

use field::PrimeField;

use super::operations::{Registers, felt};
use super::places::Places;
use super::prime::Prime;
use crate::RowProgram;
use crate::lowered::{Class, FeltOp, Instruction, Op, Schedule};
use crate::text::{Dialect, Kernel};

/// More operations on felts than this are calls of functions: each has a few hundred instructions of a GPU.
const INLINED_FELTS: usize = 12;
/// Programs with more words alive at once have the registers of a multiprocessor for one block of threads, others share
/// them with another.
const SHARING_WORDS: usize = 96;

/// About how long the text of a program is: its words, and twenty for each operation on felts. `None` if it has a
/// division: its loop indexes digits by other digits, so no kernel is generated for it.
pub fn cost<F>(schedule: &Schedule<F>) -> Option<u32> {
    let of = |instruction: &Instruction| {
        let (operands, results) = (instruction.operands.len(), instruction.results.len());
        Some(match instruction.op {
            Op::IntDivRem(_) => return None,
            Op::Convolve(first) | Op::IntMul(first) => first * (operands - first),
            Op::FeltFrom | Op::FeltTo | Op::Felt(_) | Op::FeltInv => 20,
            _ => operands.max(results),
        })
    };
    schedule.instructions.iter().try_fold(0u32, |sum, instruction| Some(sum.saturating_add(of(instruction)? as u32)))
}

/// The kernel of a program.
pub fn kernel<F: PrimeField>(
    program: &RowProgram<F>,
    schedule: &Schedule<F>,
    places: Places,
    dialect: Dialect,
) -> Kernel {
    let mut out = String::new();
    let mut line = |text: &str| writeln!(out, "{text}").expect("writing to a string cannot fail");
    let prime = program.modulus().map(|modulus| Prime(*modulus));
    if let Some(prime) = prime.as_ref().filter(|_| schedule.registers[Class::Felt as usize] > 0) {
        felt_functions(prime, schedule).iter().for_each(|text| line(text));
    }
    let alive = schedule.registers[Class::Word as usize] + 8 * schedule.registers[Class::Felt as usize];
    let blocks = if alive > SHARING_WORDS { 1 } else { 2 };
    let (entry, threads) = ("run_rows", dialect.block_threads);
    line(&format!("KERNEL_BOUNDED({entry}, {threads}, {blocks}, ROWS_BUFFERS, RowsParams) {{"));
    line("u64 n = (u64)BLOCK_X * BLOCK_THREADS + THREAD;");
    line("if (n >= p.count) { return; }");
    line("u32 row = (u32)(p.first + n);");
    line("bool is_bad = false;");
    // Pointers once, where a program has few.
    let of = |is: fn(&Op) -> Option<u32>| -> BTreeSet<u32> {
        schedule.instructions.iter().filter_map(|instruction| is(&instruction.op)).collect()
    };
    if !of(|op| matches!(op, Op::Input(_)).then_some(0)).is_empty() {
        line("RowSource source = source_of(places, p.parts, p.inputs, p.entries, p.period, row);");
        line("GLOBAL const Base* inputs = &COLUMN_AT(source.first, 0);");
    }
    for table in of(|op| if let Op::Read { table, .. } = op { Some(*table) } else { None }) {
        let place = places.table(table);
        line(&format!("GLOBAL const Base* t{table} = &COLUMN_AT(places[{place}], 0);"));
        line(&format!("u32 h{table} = (u32)places[{}];", place + 1));
    }
    for list in of(|op| if let Op::Emit { list, .. } = op { Some(*list) } else { None }) {
        line(&format!("GLOBAL Base* l{list} = &LIST_AT(places[{}]) + row;", places.list(list)));
    }
    for counter in of(|op| if let Op::Count { counter, .. } = op { Some(*counter) } else { None }) {
        let place = places.counter(counter);
        line(&format!("GLOBAL u32* c{counter} = tallies + places[{place}];"));
        line(&format!("u64 n{counter} = places[{}];", place + 1));
    }
    let registers = Registers::new(schedule, prime.as_ref());
    registers.declarations().iter().for_each(|text| line(text));
    for instruction in &schedule.instructions {
        registers.lines(instruction).iter().for_each(|text| line(text));
    }
    line("if (is_bad) { ATOMIC_MIN(faults, row); }");
    line("}");
    Kernel { entry, text: out }
}

/// The felt operations of a program, by functions that know the prime: products with zeros in it are left out.
fn felt_functions<F>(prime: &Prime, schedule: &Schedule<F>) -> Vec<String> {
    let count = |is: fn(&Op) -> bool| schedule.instructions.iter().filter(|instruction| is(&instruction.op)).count();
    let inverses = count(|op| matches!(op, Op::FeltInv));
    let products = inverses + count(|op| matches!(op, Op::FeltFrom | Op::FeltTo | Op::Felt(FeltOp::Mul)));
    let function = if products > INLINED_FELTS { "FN_CALLED" } else { "FN" };
    let (p, inverse) = (felt(&prime.0), format!("0x{:x}u", prime.negative_inverse()));
    let mut functions = vec![
        format!("{function} Felt mul(Felt a, Felt b) {{ return felt_mul(a, b, {p}, {inverse}); }}"),
        format!("FN Felt add(Felt a, Felt b) {{ return felt_add(a, b, {p}); }}"),
        format!("FN Felt sub(Felt a, Felt b) {{ return felt_sub(a, b, {p}); }}"),
        format!("FN bool is_felt(Felt a) {{ return felt_is_less(a, {p}); }}"),
        format!("FN Felt to_montgomery(Felt a) {{ return mul(a, {}); }}", felt(&prime.power(2))),
        format!("FN Felt from_montgomery(Felt a) {{ return mul(a, {}); }}", felt(&prime.power(0))),
    ];
    if inverses > 0 {
        let cube = felt(&prime.power(3));
        functions.push(format!("FN_CALLED Felt inverse(Felt a) {{ return felt_inverse(a, {p}, {cube}, {inverse}); }}"));
    }
    functions
}
