//! Kernels for one program each: the interpreter's instructions written out as source, values as variables. They have the
//! interpreter's entry points, buffers and results, and run several times as fast; a compiler takes seconds for a thousand
//! operations, so long programs are interpreted.
//!
//! What the interpreter reads from buffers and is the same on all rows (constants, loads, groups) goes into the parameter block, where
//! a device reads it for nothing, if there is room.

mod key;
mod values;

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::call::BLOCK_THREADS;
use crate::encoding::{Encoded, NONE, op};
use crate::params::Params;
pub(crate) use key::Key;
use values::{Form, Source, Step, steps};

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

/// A program with all that a kernel for it is made of and run with.
pub(crate) struct Run<'a> {
    pub(crate) encoded: &'a Encoded,
    /// The buffer of every table.
    pub(crate) slots: &'a [u64],
    /// The words of loads and groups, as the interpreter has them.
    pub(crate) loads: &'a [u64],
    pub(crate) groups: &'a [u64],
    /// Bytes of a base element.
    pub(crate) element: u64,
}

/// Most bytes of a parameter block: CUDA and Metal take 4 KiB, and CUDA's have the addresses of the buffers beside it.
const MOST_PARAMS: u64 = 3584;
/// Words of the interpreter's parameter blocks, of a load and of a group, as in the kernels.
const PROGRAM_WORDS: u64 = 4;
pub(crate) const LOAD_WORDS: usize = 2;
pub(crate) const GROUP_WORDS: usize = 4;

impl Run<'_> {
    /// Whether the parameter block has what is the same on all rows.
    fn is_in_params(&self) -> bool {
        let elements = self.encoded.constants.len().max(1) as u64 * self.element;
        let words: usize = self.array_lengths().iter().sum();
        8 * (PROGRAM_WORDS + words as u64) + elements <= MOST_PARAMS
    }

    /// Words of the arrays that the parameter block has beside constants. None is empty.
    fn array_lengths(&self) -> [usize; 3] {
        [self.loads.len() / LOAD_WORDS, self.slots.len(), self.groups.len()].map(|length| length.max(1))
    }

    /// These arrays: the column of every load, the second word of a load of every table, groups.
    fn arrays(&self) -> [Vec<u64>; 3] {
        let mut arrays = self.array_lengths().map(|length| vec![0; length]);
        let [columns, heights, groups] = &mut arrays;
        let loads = self.encoded.loads.iter().zip(self.loads.chunks_exact(LOAD_WORDS));
        for (((table, ..), load), column) in loads.zip(columns) {
            (*column, heights[*table]) = (load[0], load[1]);
        }
        groups[..self.groups.len()].copy_from_slice(self.groups);
        arrays
    }

    /// The kernel's parameter block, from the interpreter's.
    pub(crate) fn params(&self, params: Params) -> Params {
        if !self.is_in_params() {
            return params;
        }
        let params = self.arrays().into_iter().flatten().fold(params, Params::u64);
        let constants = if self.encoded.constants.is_empty() { &[0] } else { self.encoded.constants.as_slice() };
        constants.iter().fold(params, |params, constant| match self.element {
            4 => params.u32(*constant as u32),
            _ => params.u64(*constant),
        })
    }

    /// An element of a field of the parameter block or of a buffer.
    fn word(&self, field: (&str, usize), buffer: (&str, usize)) -> String {
        let ((name, at), prefix) = if self.is_in_params() { (field, "p.") } else { (buffer, "") };
        format!("{prefix}{name}[{at}]")
    }

    fn column(&self, load: u32) -> String {
        self.word(("column", load as usize), ("loads", load as usize * LOAD_WORDS))
    }

    /// A word with the height of the table of a load.
    fn height(&self, load: u32) -> String {
        let (table, ..) = self.encoded.loads[load as usize];
        self.word(("height", table), ("loads", load as usize * LOAD_WORDS + 1))
    }

    fn group(&self, group: usize, word: usize) -> String {
        let at = group * GROUP_WORDS + word;
        self.word(("group", at), ("groups", at))
    }

    fn base(&self, source: Source) -> String {
        match source {
            Source::Value(value) => format!("r{value}"),
            // Those that no parameter changes.
            Source::Constant(at) if at < self.encoded.program_constants => {
                format!("(Base)0x{:x}", self.encoded.constants[at])
            }
            Source::Constant(at) => self.word(("known", at), ("constants", at)),
            Source::None => unreachable!("an operand that the operation does not have"),
        }
    }

    fn ext(&self, source: Source) -> String {
        match source {
            Source::Value(value) => format!("x{value}"),
            Source::Constant(at) => self.ext_constant(at),
            Source::None => unreachable!("an operand that the operation does not have"),
        }
    }

    fn ext_constant(&self, at: usize) -> String {
        format!("EXT_OF({}, {at})", if self.is_in_params() { "p.known" } else { "constants" })
    }
}

/// The text of the kernel, to follow [`crate::library::Units::program`].
pub(crate) fn text(run: &Run<'_>, purpose: Purpose) -> String {
    let encoded = run.encoded;
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    let (buffers, fields, params) = match purpose {
        Purpose::Constraints => ("CONSTRAINT_BUFFERS", "PROGRAM_FIELDS", "ProgramParams"),
        Purpose::Rows => ("ROW_BUFFERS", "PROGRAM_FIELDS", "ProgramParams"),
        Purpose::Nodes => ("NODE_BUFFERS", "NODE_FIELDS", "NodeParams"),
    };
    let params = if run.is_in_params() {
        let [columns, heights, groups] = run.array_lengths();
        let constants = encoded.constants.len().max(1);
        line("struct KnownParams {".into());
        line(format!("{fields} u64 column[{columns}]; u64 height[{heights}]; u64 group[{groups}];"));
        line(format!("Base known[{constants}]; }};"));
        "KnownParams"
    } else {
        params
    };
    // Two blocks of a launch's threads on a multiprocessor: a program that keeps many values would have one, and more threads wait for
    // memory better than fewer, even if they spill.
    line(format!("KERNEL_BOUNDED({}, {BLOCK_THREADS}, 2, {buffers}, {params}) {{", purpose.entry()));
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
            line(format!("u64 at{group}_{offset:x} = {place}(i_{offset:x}, {});", run.height(load as u32)));
        }
    }
    if purpose == Purpose::Constraints {
        line("Accumulator sum = accumulator_zero();".into());
    }
    // Sums begin with what is the same on all rows.
    let instructions = encoded.code.len() - encoded.totals.iter().flatten().count();
    let steps = steps(&encoded.code[..instructions]);
    let mut groups = groups(run, &steps);
    for (number, step) in steps.iter().enumerate() {
        if op::MAC.contains(&step.operation) {
            let Some(group) = groups.iter_mut().find(|group| group.accumulator == step.place) else {
                unreachable!("a sum that no group has")
            };
            weighted(run, group, step).into_iter().for_each(&mut line);
        } else if step.form != Form::Product {
            line(instruction(run, &steps, number));
        }
    }
    if purpose == Purpose::Constraints {
        line("ext_store(result, i, p.count, accumulator_reduce(sum));".into());
    }
    line("}".into());
    out
}

/// A group of outputs that are added up with weights and multiplied by one factor.
struct Group {
    number: usize,
    accumulator: u32,
    /// What all rows have in common of the sum.
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

fn groups(run: &Run<'_>, steps: &[Step]) -> Vec<Group> {
    let of = |(number, accumulator): (usize, &u32)| {
        let outputs =
            |operation| steps.iter().filter(|step| step.operation == operation && step.place == *accumulator).count();
        let (base, ext) = (outputs(op::MAC[0]), outputs(op::MAC[1]));
        let total = run.encoded.totals[number];
        let factor = factor(run, number);
        // In the cubic extension: a product of every coordinate of an output and three unreduced ones of the total, about two of the
        // others, or else three unreduced products and as many reductions for the sum, as much as five.
        let is_cheaper = base + 3 * ext + 2 * usize::from(total.is_some()) <= 4;
        let is_direct = factor.is_none() || is_cheaper;
        Group { number, accumulator: *accumulator, total, factor, left: base + ext, is_direct, is_open: false }
    };
    run.encoded.accumulators.iter().enumerate().map(of).collect()
}

/// The factor of a group as an expression.
fn factor(run: &Run<'_>, group: usize) -> Option<String> {
    let [_, multiplier, column, _] = *run.groups.get(group * GROUP_WORDS..(group + 1) * GROUP_WORDS)? else {
        return None;
    };
    let word = |at| run.group(group, at);
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
fn weighted(run: &Run<'_>, group: &mut Group, step: &Step) -> Vec<String> {
    let [value, weight] = step.operands;
    let weight = run.ext(weight);
    let is_base = step.operation == op::MAC[0];
    let value = if is_base { run.base(value) } else { run.ext(value) };
    let accumulate = if is_base { "accumulate_base" } else { "accumulate_ext" };
    let number = group.number;
    let mut lines = Vec::new();
    if group.is_direct {
        if !group.is_open {
            lines.extend(group.factor.as_ref().map(|factor| format!("Base f{number} = {factor};")));
            let factor = if group.factor.is_some() { format!("f{number}") } else { "(Base)1".into() };
            lines.extend(
                group.total.map(|at| format!("sum = accumulate_base(sum, {}, {factor});", run.ext_constant(at))),
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
                |at| format!("accumulator_from({})", run.ext_constant(at)),
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

fn instruction(run: &Run<'_>, steps: &[Step], number: usize) -> String {
    let Step { operation, place, operands: [a, b], is_canonical, .. } = steps[number];
    let (base, ext) = (|source| run.base(source), |source| run.ext(source));
    let lazy = if is_canonical { "" } else { "_lazy" };
    // The buffer of a load, and the place in its column.
    let load = || {
        let (group, _, offset) = run.encoded.loads[place as usize];
        (format!("table{}", run.slots[group]), format!("at{group}_{:x}", offset as u32))
    };
    let store = |value: String| format!("ext_store(result + (u64){place} * DEGREE * p.count, i, p.count, {value});");
    // Forms of an operation by the fields of its operands: base-base, base-ext, ext-base, ext-ext.
    let is = |ops: [u32; 4], form: usize| ops[form] == operation;
    let value = match operation {
        op::LOAD_BASE => {
            let (table, at) = load();
            format!("{table}[COLUMN_START({}) + {at}]", run.column(place))
        }
        op::LOAD_EXT => {
            let (table, at) = load();
            let (column, height) = (run.column(place), run.height(place));
            return format!("Ext x{number}; LOAD_EXT_FROM({table}, x{number}, {column}, {height}, {at});");
        }
        _ if steps[number].adds_products => return sum_of_products(run, steps, number),
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
        _ if operation == op::STORE[0] => return store(format!("ext_from_base({})", base(a))),
        _ if operation == op::STORE[1] => return store(ext(a)),
        _ if operation == op::STORE[2] => return format!("result[(u64){place} * p.count + i] = {};", base(a)),
        _ if operation == op::STORE[3] => return format!("children[CHILD_AT(i, {place})] = {};", base(a)),
        other => unreachable!("{other} is no operation"),
    };
    if op::is_ext(operation) { format!("Ext x{number} = {value};") } else { format!("Base r{number} = {value};") }
}

/// The line of a sum or difference that adds up products unreduced.
fn sum_of_products(run: &Run<'_>, steps: &[Step], number: usize) -> String {
    // The kind of a product, and its factors: a canonical one first.
    let product = |product: usize| {
        let Step { operation, operands: [a, b], .. } = steps[product];
        if operation == op::MUL[3] {
            ("ext", format!("{}, {}", run.ext(b), run.ext(a)))
        } else {
            ("base", format!("{}, {}", run.ext(a), run.base(b)))
        }
    };
    let Step { operation, operands: [first, second], form, is_canonical, .. } = steps[number];
    let start = match first {
        Source::Value(value) if steps[value].form == Form::Product => {
            let (kind, factors) = product(value);
            format!("accumulator_product_{kind}({factors})")
        }
        Source::Value(value) if steps[value].form == Form::Open => format!("s{value}"),
        other => format!("accumulator_from({})", run.ext(other)),
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
