//! Kernels for one program each: the interpreter's instructions written out as source, registers as variables. They have the
//! interpreter's entry points, buffers and results, and run several times as fast; a compiler takes seconds for a thousand
//! operations, so long programs are interpreted.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::call::BLOCK_THREADS;
use crate::program::{Encoded, IS_CONSTANT, op};

/// What a program is run for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A combination of its outputs on a domain, in storage order.
    Constraints,
    /// Its outputs in row order.
    Rows,
    /// Its outputs at the rows of a level of a binary tree, what goes up from them included.
    Nodes,
}

impl Purpose {
    /// The entry point, of the interpreter as of a generated kernel.
    pub(crate) const fn entry(self) -> &'static str {
        match self {
            Self::Constraints => "evaluate_constraints",
            Self::Rows => "evaluate_rows",
            Self::Nodes => "evaluate_nodes",
        }
    }
}

/// Base multiplications and additions of a program, about.
pub(crate) fn cost(code: &[[u32; 4]], degree: u32) -> u32 {
    code.iter()
        .map(|[operation, ..]| match *operation {
            op::LOAD_BASE | op::LOAD_EXT => 0,
            operation if operation == op::MUL[3] || operation == op::MAC[1] => degree * degree,
            operation if operation == op::MUL[1] || operation == op::MAC[0] => degree,
            operation if [op::ADD[3], op::SUB[3], op::SUB[1], op::NEG[1]].contains(&operation) => degree,
            _ => 1,
        })
        .fold(0, u32::saturating_add)
}

fn base(encoded: &Encoded, operand: u32) -> String {
    let index = (operand & !IS_CONSTANT) as usize;
    if operand & IS_CONSTANT == 0 {
        format!("r{operand}")
    } else if index < encoded.program_constants {
        // Those that no parameter changes.
        format!("(Base)0x{:x}", encoded.constants[index])
    } else {
        format!("constants[{index}]")
    }
}

fn ext(operand: u32) -> String {
    if operand & IS_CONSTANT == 0 {
        format!("x{operand}")
    } else {
        format!("ext_at(constants + {})", operand & !IS_CONSTANT)
    }
}

/// The text of the kernel, to follow [`crate::library::PROGRAM`]; `slots` has the buffer of every table.
pub(crate) fn text(encoded: &Encoded, purpose: Purpose, slots: &[u64]) -> String {
    let (buffers, params) = match purpose {
        Purpose::Constraints => ("CONSTRAINT_BUFFERS", "ProgramParams"),
        Purpose::Rows => ("ROW_BUFFERS", "ProgramParams"),
        Purpose::Nodes => ("NODE_BUFFERS", "NodeParams"),
    };
    // Two blocks of a launch's threads on a multiprocessor: a program that keeps many values would have one, and more threads wait for
    // memory better than fewer, even if they spill.
    let mut out = format!("KERNEL_BOUNDED({}, {}, 2, {buffers}, {params}) {{\n", purpose.entry(), BLOCK_THREADS);
    let mut line = |text: String| writeln!(out, "    {text}").expect("writing to a string cannot fail");
    line("u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;".into());
    line(match purpose {
        Purpose::Constraints | Purpose::Rows => "if (i >= p.count) { return; }".into(),
        Purpose::Nodes => "if (i >= p.rows) { return; } i += p.first;".into(),
    });

    // Every row offset once, as 32 bits of two's complement.
    let offsets: BTreeSet<u32> = encoded.loads.iter().map(|(_, _, offset)| *offset as u32).collect();
    for offset in offsets {
        line(match purpose {
            Purpose::Constraints => {
                format!("u64 i_{offset:x} = storage_index(i, 0x{offset:x}u, p.log_size, p.log_trace);")
            }
            Purpose::Rows | Purpose::Nodes => format!("u64 i_{offset:x} = i + (u64)(i64)(i32)0x{offset:x}u;"),
        });
    }
    // Columns of a table are of one height.
    let mut places = BTreeSet::new();
    for (load, (group, _, offset)) in encoded.loads.iter().enumerate() {
        if places.insert((*group, *offset)) {
            let offset = *offset as u32;
            let place = if purpose == Purpose::Constraints { "STORAGE_AT" } else { "ROW_AT" };
            line(format!("u64 at{group}_{offset:x} = {place}(i_{offset:x}, loads[{load} * LOAD_WORDS + 1]);"));
        }
    }
    let mut registers: BTreeSet<(u32, bool)> = BTreeSet::new();
    for [operation, dst, ..] in &encoded.code {
        if !op::STORE.contains(operation) && !op::MAC.contains(operation) {
            registers.insert((*dst, op::is_ext(*operation)));
        }
    }
    for (register, is_ext) in registers {
        line(if is_ext { format!("Ext x{register};") } else { format!("Base r{register};") });
    }
    if purpose == Purpose::Constraints {
        line("Accumulator sum = accumulator_zero();".into());
    }
    let mut groups = groups(encoded);
    for [operation, dst, a, b] in &encoded.code {
        if !op::MAC.contains(operation) {
            line(instruction(encoded, slots, [*operation, *dst, *a, *b]));
            continue;
        }
        let Some((number, group)) = groups.iter_mut().enumerate().find(|(_, group)| group.accumulator == *dst) else {
            unreachable!("a sum that no group has")
        };
        let (value, weight) = (|| base(encoded, *a), ext(*b));
        if group.is_direct {
            if !group.is_open {
                line(format!("Base f{number}; SET_FACTOR(f{number}, {number})"));
            }
            line(format!("sum = accumulate_base(sum, {weight}, base_mul({}, f{number}));", value()));
        } else {
            if !group.is_open {
                line(format!("Accumulator a{number} = accumulator_zero();"));
            }
            line(if *operation == op::MAC[0] {
                format!("a{number} = accumulate_base(a{number}, {weight}, {});", value())
            } else {
                format!("a{number} = accumulate_ext(a{number}, {weight}, {});", ext(*a))
            });
        }
        group.is_open = true;
        group.left -= 1;
        if group.left == 0 && !group.is_direct {
            // At once, so that no sum takes registers for longer than it grows.
            line(format!("ADD_GROUP(sum, {number}, accumulator_reduce(a{number}));"));
        }
    }
    if purpose == Purpose::Constraints {
        line("ext_store(result, i, p.count, accumulator_reduce(sum));".into());
    }
    out.push_str("}\n");
    out
}

/// A group of outputs that are added up with weights and multiplied by one factor.
struct Group {
    accumulator: u32,
    /// Outputs that are still to come.
    left: usize,
    /// Whether each output is multiplied by the factor instead of their sum.
    is_direct: bool,
    /// Whether the first output has come.
    is_open: bool,
}

/// Most outputs of a group that are multiplied by the factor one by one. A product in the base field takes less than reducing a sum
/// in the extension, but more than adding to one.
const MOST_DIRECT: usize = 3;

fn groups(encoded: &Encoded) -> Vec<Group> {
    let of = |accumulator: &u32| {
        let outputs = || encoded.code.iter().filter(|code| op::MAC.contains(&code[0]) && code[1] == *accumulator);
        let is_direct = outputs().count() <= MOST_DIRECT && outputs().all(|code| code[0] == op::MAC[0]);
        Group { accumulator: *accumulator, left: outputs().count(), is_direct, is_open: false }
    };
    encoded.accumulators.iter().map(of).collect()
}

fn instruction(encoded: &Encoded, slots: &[u64], [operation, dst, a, b]: [u32; 4]) -> String {
    let base = |operand| base(encoded, operand);
    // The buffer of a load, and the place in its column.
    let load = |load: u32| {
        let (group, _, offset) = encoded.loads[load as usize];
        (format!("table{}", slots[group]), format!("at{group}_{:x}", offset as u32))
    };
    let store = |value: String| format!("ext_store(result + (u64){dst} * DEGREE * p.count, i, p.count, {value});");
    // Forms of an operation by the fields of its operands: base-base, base-ext, ext-base, ext-ext.
    let is = |ops: [u32; 4], form: usize| ops[form] == operation;
    match operation {
        op::LOAD_BASE => {
            let (table, at) = load(a);
            format!("r{dst} = {table}[COLUMN_START(loads[{a} * LOAD_WORDS]) + {at}];")
        }
        op::LOAD_EXT => {
            let (table, at) = load(a);
            format!("LOAD_EXT_FROM({table}, x{dst}, {a}, {at});")
        }
        _ if is(op::ADD, 0) => format!("r{dst} = base_add({}, {});", base(a), base(b)),
        _ if is(op::ADD, 3) => format!("x{dst} = ext_add({}, {});", ext(a), ext(b)),
        _ if is(op::ADD, 2) => format!("x{dst} = ext_add_base({}, {});", ext(a), base(b)),
        _ if is(op::SUB, 0) => format!("r{dst} = base_sub({}, {});", base(a), base(b)),
        _ if is(op::SUB, 3) => format!("x{dst} = ext_sub({}, {});", ext(a), ext(b)),
        _ if is(op::SUB, 2) => format!("x{dst} = ext_sub_base({}, {});", ext(a), base(b)),
        _ if is(op::SUB, 1) => format!("x{dst} = ext_sub(ext_from_base({}), {});", base(a), ext(b)),
        _ if is(op::MUL, 0) => format!("r{dst} = base_mul({}, {});", base(a), base(b)),
        _ if is(op::MUL, 3) => format!("x{dst} = ext_mul({}, {});", ext(a), ext(b)),
        _ if is(op::MUL, 2) => format!("x{dst} = ext_mul_base({}, {});", ext(a), base(b)),
        _ if operation == op::NEG[0] => format!("r{dst} = base_neg({});", base(a)),
        _ if operation == op::NEG[1] => format!("x{dst} = ext_neg({});", ext(a)),
        _ if operation == op::STORE[0] => store(format!("ext_from_base({})", base(a))),
        _ if operation == op::STORE[1] => store(ext(a)),
        _ if operation == op::STORE[2] => format!("result[(u64){dst} * p.count + i] = {};", base(a)),
        _ if operation == op::STORE[3] => format!("children[CHILD_AT(i, {dst})] = {};", base(a)),
        other => unreachable!("{other} is no operation"),
    }
}
