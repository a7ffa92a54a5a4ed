//! Constraint programs in the form that `kernels/interpreter.h` reads.

use alloc::vec::Vec;

/// No multiplier, no column.
pub const NONE: u64 = u64::MAX;

/// Marks an operand that is an index into the constants.
pub(super) const IS_CONSTANT: u32 = 1 << 31;

/// Operations, as in the kernel. Binary ones by the fields of their operands: base-base, base-ext, ext-base, ext-ext; a
/// sum or product of base and ext is turned round.
pub(super) mod op {
    pub(in super::super) const LOAD_BASE: u32 = 0;
    pub(in super::super) const LOAD_EXT: u32 = 1;
    pub(in super::super) const ADD: [u32; 4] = [2, 4, 4, 3];
    pub(in super::super) const SUB: [u32; 4] = [5, 8, 7, 6];
    pub(in super::super) const MUL: [u32; 4] = [9, 11, 11, 10];
    pub(in super::super) const NEG: [u32; 2] = [12, 13];
    pub(in super::super) const MAC: [u32; 2] = [14, 15];
    /// Stores a base or an extension value as an extension column, a base value as a base column, and one for the
    /// parent.
    pub(in super::super) const STORE: [u32; 4] = [16, 17, 18, 19];
    /// Only of kernels that have a part of a program: a base or an extension value handed on to a later kernel, taken
    /// by it, and a base column of the result read by it.
    pub(in super::super) const GIVE: [u32; 2] = [20, 21];
    pub(in super::super) const TAKE: [u32; 2] = [22, 23];
    pub(in super::super) const READ: u32 = 24;

    /// Whether the destination is an extension register.
    pub(in super::super) fn is_ext(operation: u32) -> bool {
        ![LOAD_BASE, ADD[0], SUB[0], MUL[0], NEG[0], TAKE[0], READ].contains(&operation)
    }

    /// Whether it makes a value of none: a load or its substitute.
    pub(in super::super) fn is_load(operation: u32) -> bool {
        [LOAD_BASE, LOAD_EXT, TAKE[0], TAKE[1], READ].contains(&operation)
    }

    /// Whether it makes no value of one.
    pub(in super::super) fn is_store(operation: u32) -> bool {
        STORE.contains(&operation) || GIVE.contains(&operation)
    }
}

/// The use of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink<E> {
    /// Added to an accumulator with a weight.
    Accumulate {
        /// Number of the accumulator.
        accumulator: u32,
        /// The weight.
        weight: E,
    },
    /// Stored as an extension column of the result.
    Store {
        /// Number of the extension column.
        column: u32,
    },
    /// A base output, stored as a base column of the result.
    StoreBase {
        /// Number of the base column.
        column: u32,
    },
    /// A base output, one of the values that a row of a tree hands up.
    HandUp {
        /// Number of the value.
        value: u32,
    },
}

/// A program with all that is known when it runs.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Operation, destination, operands.
    pub code: Vec<[u32; 4]>,
    /// Base elements: constants of the program, then coordinates of extension elements.
    pub constants: Vec<u64>,
    /// How many of the constants are the program's own, the same for all parameters; they come first.
    pub(super) program_constants: usize,
    /// The program's own constants that the text of a kernel has: [`in_text`].
    pub(super) in_text: Vec<bool>,
    /// (group, column of the group, row offset) of every load.
    pub loads: Vec<(usize, usize, i32)>,
    /// Words of the interpreter's register file: a power of two.
    pub registers: u64,
    /// First word of every accumulator.
    pub accumulators: Vec<u32>,
    /// The part of every accumulator that is the same on all rows, as the place of a constant. The last instructions
    /// add these, with weights of one.
    pub(super) totals: Vec<Option<usize>>,
}

/// Most constants of a program that kernels read as parameters.
const MOST_IN_PARAMS: usize = 32;

/// The constants of a program that stand in the text of its kernels: small ones and powers of two, with which a
/// compiler can do more, and the others beyond the first [`MOST_IN_PARAMS`], which would fill a parameter block.
/// Programs that differ in the others alone, such as the start of a segment of memory or a public value, have
/// the same text.
pub(super) fn in_text(constants: &[u64]) -> Vec<bool> {
    let mut room = MOST_IN_PARAMS;
    let is_in_text = |constant: &u64| {
        let is_plain = *constant < 256 || constant.is_power_of_two();
        let is_parameter = !is_plain && room > 0;
        room -= usize::from(is_parameter);
        !is_parameter
    };
    constants.iter().map(is_in_text).collect()
}

impl Encoded {
    /// The instructions without the parts that are the same on all rows.
    pub(super) fn row_code(&self) -> &[[u32; 4]] {
        &self.code[..self.code.len() - self.totals.iter().flatten().count()]
    }

    /// About how many base multiplications and additions a row takes, with an extension of this degree.
    pub fn cost(&self, degree: u32) -> u32 {
        cost(self.row_code(), degree)
    }

    /// How many base columns of the result and how many values for a tree's parent the instructions store.
    pub fn stored(&self, degree: u32) -> (u32, u32) {
        let (mut columns, mut values) = (0, 0);
        for &[operation, place, ..] in &self.code {
            match operation {
                _ if operation == op::STORE[0] || operation == op::STORE[1] => {
                    columns = columns.max((place + 1) * degree)
                }
                _ if operation == op::STORE[2] => columns = columns.max(place + 1),
                _ if operation == op::STORE[3] => values = values.max(place + 1),
                _ => {}
            }
        }
        (columns, values)
    }
}

/// About how many base multiplications and additions these instructions take.
pub(super) fn cost(code: &[[u32; 4]], degree: u32) -> u32 {
    code.iter().map(|[operation, ..]| operation_cost(*operation, degree)).fold(0, u32::saturating_add)
}

/// The same of one operation.
pub(super) fn operation_cost(operation: u32, degree: u32) -> u32 {
    match operation {
        _ if op::is_load(operation) || op::GIVE.contains(&operation) => 0,
        _ if operation == op::MUL[3] || operation == op::MAC[1] => degree * degree,
        _ if operation == op::MUL[1] || operation == op::MAC[0] => degree,
        _ if [op::ADD[3], op::SUB[3], op::SUB[1], op::NEG[1]].contains(&operation) => degree,
        _ => 1,
    }
}
