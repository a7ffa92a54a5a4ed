//! The text of a kernel.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::encoded::{NONE, op};
use super::part::Part;
use super::piece::{Piece, PieceGroup};
use super::run::{GROUP_WORDS, Purpose, Run, bound_place};
use super::values::{Form, Source, Step, steps};
use crate::text::Kernel;

/// The kernel of a piece.
pub fn kernel(run: &Run<'_>, piece: &Piece, purpose: Purpose) -> Kernel {
    let part = &Part { run, piece };
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    let [buffers, fields, params] = purpose.frame();
    let hands_on = |[operation, ..]: &[u32; 4]| op::GIVE.contains(operation) || op::TAKE.contains(operation);
    let is_handing_on = piece.code.iter().any(hands_on);
    if is_handing_on {
        line("#undef CODE_BUFFER\n#define CODE_BUFFER INOUT(TABLE_SLOTS, Base, handed)".into());
    }
    let params = if part.is_in_params() {
        let [columns, heights, groups] = part.array_lengths();
        let constants = part.known_length();
        line("struct KnownParams {".into());
        line(format!("{fields} u64 column[{columns}]; u64 height[{heights}]; u64 group[{groups}];"));
        line(format!("Base known[{constants}]; }};"));
        "KnownParams"
    } else {
        params
    };
    // Two blocks of a launch's threads on a multiprocessor: a program that keeps many values would have one, and more
    // threads wait for memory better than fewer, even if they spill.
    let (entry, threads) = (purpose.entry(), run.dialect.block_threads);
    line(format!("KERNEL_BOUNDED({entry}, {threads}, 2, {buffers}, {params}) {{"));
    let summed = summed(piece, purpose);
    if purpose.is_of_sums() {
        line("SUM_BEGIN".into());
        if purpose == Purpose::BoundSums {
            line("SUM_CHALLENGE".into());
        }
        summed.iter().for_each(|output| line(format!("Ext sum{output} = ext_from_base(0);")));
    } else {
        line("u64 i = (u64)BLOCK_X * BLOCK_THREADS + THREAD;".into());
    }
    line(match purpose {
        Purpose::Constraints | Purpose::Rows => "if (i >= p.count) { return; }".into(),
        Purpose::Nodes => "if (i >= p.rows) { return; } i += p.first;".into(),
        Purpose::Sums | Purpose::BoundSums => "for (u64 i = sum_first; i < p.count; i += sum_step) {".into(),
    });
    if is_handing_on {
        line(match purpose {
            Purpose::Nodes => "u64 handed_at = i - p.first; u64 handed_rows = p.rows;".into(),
            _ => "u64 handed_at = i; u64 handed_rows = p.count;".into(),
        });
    }
    if purpose.is_of_sums() {
        if !summed.is_empty() {
            line("SUM_WEIGHT(weight)".into());
        }
    } else {
        places(part, purpose).into_iter().for_each(&mut line);
    }
    if purpose == Purpose::Constraints {
        line("Accumulator sum = accumulator_zero();".into());
    }
    let steps = steps(&piece.code);
    let mut groups = groups(part, &steps);
    for (number, step) in steps.iter().enumerate() {
        if op::MAC.contains(&step.operation) {
            let Some(group) = groups.iter_mut().find(|group| group.accumulator == step.place) else {
                unreachable!("a sum that no group has")
            };
            weighted(part, group, step).into_iter().for_each(&mut line);
        } else if step.form != Form::Product {
            line(instruction(part, &steps, number, purpose));
        }
    }
    if purpose == Purpose::Constraints {
        let sum = "accumulator_reduce(sum)";
        match (piece.is_first, piece.groups.is_empty()) {
            (true, _) => line(format!("ext_store(result, i, p.count, {sum});")),
            (false, false) => {
                line(format!("ext_store(result, i, p.count, ext_add(ext_load(result, i, p.count), {sum}));"));
            }
            (false, true) => {}
        }
    }
    if purpose.is_of_sums() {
        line("}".into());
        let turns = summed.iter().enumerate();
        turns.for_each(|(turn, output)| line(format!("SUM_OF_BLOCK({output}, {turn}, sum{output})")));
    }
    line("}".into());
    Kernel { entry, text: out }
}

/// The outputs that a kernel sums up.
fn summed(piece: &Piece, purpose: Purpose) -> BTreeSet<u32> {
    let stores = piece.code.iter().filter(|[operation, ..]| op::STORE[..2].contains(operation));
    if purpose.is_of_sums() { stores.map(|[_, place, ..]| *place).collect() } else { BTreeSet::new() }
}

/// The lines that find the places of a row in the tables.
fn places(part: &Part<'_>, purpose: Purpose) -> Vec<String> {
    let (loads, table_loads) = (&part.piece.loads, &part.run.encoded.loads);
    // Every row offset once, as 32 bits of two's complement.
    let offsets: BTreeSet<u32> = loads.iter().map(|load| table_loads[*load].2 as u32).collect();
    let offset = |offset: u32| match purpose {
        Purpose::Constraints => {
            format!("u64 i_{offset:x} = storage_index(i, 0x{offset:x}u, p.log_size, p.log_trace);")
        }
        _ => format!("u64 i_{offset:x} = i + (u64)(i64)(i32)0x{offset:x}u;"),
    };
    let mut lines: Vec<String> = offsets.into_iter().map(offset).collect();
    // Columns of a table are of one height.
    let mut places = BTreeSet::new();
    for &load in loads {
        let (group, _, offset) = table_loads[load];
        if places.insert((group, offset)) {
            let offset = offset as u32;
            let place = if purpose == Purpose::Constraints { "STORAGE_AT" } else { "ROW_AT" };
            lines.push(format!("u64 at{group}_{offset:x} = {place}(i_{offset:x}, {});", part.height(load)));
        }
    }
    lines
}

/// A group of outputs that are added up with weights and multiplied by one factor.
struct Group {
    number: usize,
    accumulator: u32,
    /// The common part of the sum on all rows.
    total: Option<usize>,
    /// The factor; `None` for one.
    factor: Option<String>,
    /// Outputs that are still to come.
    left: usize,
    /// Whether each output is multiplied by the factor instead of their sum.
    is_direct: bool,
    /// Whether the first output has come.
    is_open: bool,
}

fn groups(part: &Part<'_>, steps: &[Step]) -> Vec<Group> {
    let of = |(nth, group): (usize, &PieceGroup)| {
        let accumulator = part.run.encoded.accumulators[group.number];
        let outputs =
            |operation| steps.iter().filter(|step| step.operation == operation && step.place == accumulator).count();
        let (base, ext) = (outputs(op::MAC[0]), outputs(op::MAC[1]));
        // Sums begin with the part that is the same on all rows.
        let total = group.total;
        let factor = factor(part, nth);
        // In the cubic extension: a product of every coordinate of an output and three unreduced ones of the total,
        // about two of the others, or else three unreduced products and as many reductions for the sum, as much as
        // five.
        let is_cheaper = base + 3 * ext + 2 * usize::from(total.is_some()) <= 4;
        let is_direct = factor.is_none() || is_cheaper;
        Group { number: group.number, accumulator, total, factor, left: base + ext, is_direct, is_open: false }
    };
    part.piece.groups.iter().enumerate().map(of).collect()
}

/// The factor of the `nth` group of a kernel as an expression.
fn factor(part: &Part<'_>, nth: usize) -> Option<String> {
    let first = part.piece.groups[nth].number * GROUP_WORDS;
    let [_, multiplier, column, _] = *part.run.groups.get(first..first + GROUP_WORDS)? else {
        return None;
    };
    let word = |at| part.group(nth, at);
    let multiplier = (multiplier != NONE).then(|| {
        let is_of_row = multiplier >> 56 == 0;
        format!("{}({})", if is_of_row { "MULTIPLIER_OF_ROW" } else { "MULTIPLIER_AT" }, word(1))
    });
    let column = (column != NONE).then(|| format!("COLUMN_AT({}, i >> {})", word(2), word(3)));
    match (multiplier, column) {
        (Some(multiplier), Some(column)) => Some(format!("base_mul({multiplier}, {column})")),
        (multiplier, column) => multiplier.or(column),
    }
}

/// The lines that add a weighted output.
fn weighted(part: &Part<'_>, group: &mut Group, step: &Step) -> Vec<String> {
    let [value, weight] = step.operands;
    let weight = part.ext(weight);
    let is_base = step.operation == op::MAC[0];
    let value = if is_base { part.base(value) } else { part.ext(value) };
    let accumulate = if is_base { "accumulate_base" } else { "accumulate_ext" };
    let number = group.number;
    let mut lines = Vec::new();
    if group.is_direct {
        if !group.is_open {
            lines.extend(group.factor.as_ref().map(|factor| format!("Base f{number} = {factor};")));
            let factor = if group.factor.is_some() { format!("f{number}") } else { "(Base)1".into() };
            lines.extend(
                group.total.map(|at| format!("sum = accumulate_base(sum, {}, {factor});", part.ext_constant(at))),
            );
        }
        lines.push(match (&group.factor, is_base) {
            (None, _) => format!("sum = {accumulate}(sum, {weight}, {value});"),
            (_, true) => format!("sum = accumulate_base(sum, {weight}, base_mul_lazy({value}, f{number}));"),
            (_, false) => format!("sum = accumulate_ext(sum, {weight}, ext_mul_base_lazy({value}, f{number}));"),
        });
    } else {
        if !group.is_open {
            let start = group.total.map_or_else(
                || "accumulator_zero()".into(),
                |at| format!("accumulator_from({})", part.ext_constant(at)),
            );
            lines.push(format!("Accumulator a{number} = {start};"));
        }
        lines.push(format!("a{number} = {accumulate}(a{number}, {weight}, {value});"));
    }
    group.is_open = true;
    group.left -= 1;
    if let (0, false, Some(factor)) = (group.left, group.is_direct, &group.factor) {
        // At once, so that no sum takes registers for longer than it grows.
        lines.push(format!("sum = accumulate_base(sum, accumulator_reduce_lazy(a{number}), {factor});"));
    }
    lines
}

fn instruction(part: &Part<'_>, steps: &[Step], number: usize, purpose: Purpose) -> String {
    let Step { operation, place, operands: [a, b], is_canonical, .. } = steps[number];
    let (base, ext) = (|source| part.base(source), |source| part.ext(source));
    let lazy = if is_canonical { "" } else { "_lazy" };
    // The buffer of a load, and the place in its column.
    let load = || {
        let (group, _, offset) = part.run.encoded.loads[place as usize];
        let at = if purpose.is_of_sums() { "i".into() } else { format!("at{group}_{:x}", offset as u32) };
        (format!("table{}", part.run.slots[group]), at)
    };
    let store = |value: String| format!("ext_store(result + (u64){place} * DEGREE * p.count, i, p.count, {value});");
    let add = |product: String| format!("sum{place} = ext_add(sum{place}, {product});");
    // Forms of an operation by the fields of its operands: base-base, base-ext, ext-base, ext-ext.
    let is = |ops: [u32; 4], form: usize| ops[form] == operation;
    let value = match operation {
        op::LOAD_BASE => {
            let (table, at) = load();
            format!("{table}[COLUMN_START({}) + {at}]", part.column(place))
        }
        op::LOAD_EXT => {
            let (table, at) = load();
            let (column, height) = (part.column(place), part.height(place as usize));
            if purpose == Purpose::BoundSums {
                let (_, of_group, offset) = part.run.encoded.loads[place as usize];
                let bound = bound_place(of_group, offset);
                return format!("Ext x{number}; BIND_FROM({table}, x{number}, {column}, {height}, {bound})");
            }
            return format!("Ext x{number}; LOAD_EXT_FROM({table}, x{number}, {column}, {height}, {at});");
        }
        _ if steps[number].adds_products => return sum_of_products(part, steps, number),
        _ if is(op::ADD, 0) => format!("base_add({}, {})", base(a), base(b)),
        _ if is(op::ADD, 3) => format!("ext_add({}, {})", ext(a), ext(b)),
        _ if is(op::ADD, 2) => format!("ext_add_base({}, {})", ext(a), base(b)),
        _ if is(op::SUB, 0) => format!("base_sub({}, {})", base(a), base(b)),
        _ if is(op::SUB, 3) => format!("ext_sub({}, {})", ext(a), ext(b)),
        _ if is(op::SUB, 2) => format!("ext_sub_base({}, {})", ext(a), base(b)),
        _ if is(op::SUB, 1) => format!("ext_sub(ext_from_base({}), {})", base(a), ext(b)),
        _ if is(op::MUL, 0) => format!("base_mul{lazy}({}, {})", base(a), base(b)),
        _ if is(op::MUL, 3) => format!("ext_mul{lazy}({}, {})", ext(a), ext(b)),
        _ if is(op::MUL, 2) => format!("ext_mul_base{lazy}({}, {})", ext(a), base(b)),
        _ if operation == op::NEG[0] => format!("base_neg({})", base(a)),
        _ if operation == op::NEG[1] => format!("ext_neg({})", ext(a)),
        _ if operation == op::STORE[0] && purpose.is_of_sums() => {
            return add(format!("ext_mul_base(weight, {})", base(a)));
        }
        _ if operation == op::STORE[1] && purpose.is_of_sums() => {
            return add(format!("ext_mul(weight, {})", ext(a)));
        }
        _ if operation == op::STORE[0] => return store(format!("ext_from_base({})", base(a))),
        _ if operation == op::STORE[1] => return store(ext(a)),
        _ if operation == op::STORE[2] => return format!("result[(u64){place} * p.count + i] = {};", base(a)),
        _ if operation == op::GIVE[0] => {
            return format!("handed[(u64){place} * handed_rows + handed_at] = {};", base(a));
        }
        _ if operation == op::GIVE[1] => {
            return format!("ext_store(handed + (u64){place} * handed_rows, handed_at, handed_rows, {});", ext(a));
        }
        _ if operation == op::TAKE[0] => format!("handed[(u64){place} * handed_rows + handed_at]"),
        _ if operation == op::TAKE[1] => {
            format!("ext_load(handed + (u64){place} * handed_rows, handed_at, handed_rows)")
        }
        op::READ => format!("result[(u64){place} * p.count + i]"),
        _ if operation == op::STORE[3] => return format!("children[CHILD_AT(i, {place})] = {};", base(a)),
        other => unreachable!("{other} is no operation"),
    };
    if op::is_ext(operation) { format!("Ext x{number} = {value};") } else { format!("Base r{number} = {value};") }
}

/// The line of a sum or difference that adds up products unreduced.
fn sum_of_products(part: &Part<'_>, steps: &[Step], number: usize) -> String {
    // The kind of a product, and its factors: a canonical one first.
    let product = |product: usize| {
        let Step { operation, operands: [a, b], .. } = steps[product];
        if operation == op::MUL[3] {
            ("ext", format!("{}, {}", part.ext(b), part.ext(a)))
        } else {
            ("base", format!("{}, {}", part.ext(a), part.base(b)))
        }
    };
    let Step { operation, operands: [first, second], form, is_canonical, .. } = steps[number];
    let start = match first {
        Source::Value(value) if steps[value].form == Form::Product => {
            let (kind, factors) = product(value);
            format!("accumulator_product_{kind}({factors})")
        }
        Source::Value(value) if steps[value].form == Form::Open => format!("s{value}"),
        other => format!("accumulator_from({})", part.ext(other)),
    };
    let Source::Value(second) = second else { unreachable!("a sum of products ends with one") };
    let (kind, factors) = product(second);
    let sign = if operation == op::SUB[3] { "_negative" } else { "" };
    let sum = format!("Accumulator s{number} = accumulate_{kind}{sign}({start}, {factors});");
    if form == Form::Open {
        return sum;
    }
    let lazy = if is_canonical { "" } else { "_lazy" };
    format!("{sum} Ext x{number} = accumulator_reduce{lazy}(s{number});")
}
