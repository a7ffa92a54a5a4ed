//! Constraint programs in the form that `kernels/interpreter.h` reads.

/// No multiplier, no column.
pub(crate) const NONE: u64 = u64::MAX;

/// Marks an operand that is an index into the constants.
pub(crate) const IS_CONSTANT: u32 = 1 << 31;

/// Operations, as in the kernel. Binary ones by the fields of their operands: base-base, base-ext, ext-base, ext-ext; a sum or
/// product of base and ext is turned round.
pub(crate) mod op {
    pub(crate) const LOAD_BASE: u32 = 0;
    pub(crate) const LOAD_EXT: u32 = 1;
    pub(crate) const ADD: [u32; 4] = [2, 4, 4, 3];
    pub(crate) const SUB: [u32; 4] = [5, 8, 7, 6];
    pub(crate) const MUL: [u32; 4] = [9, 11, 11, 10];
    pub(crate) const NEG: [u32; 2] = [12, 13];
    pub(crate) const MAC: [u32; 2] = [14, 15];
    /// Of a base value and of an extension value as an extension column, of a base value as a base column and for the parent.
    pub(crate) const STORE: [u32; 4] = [16, 17, 18, 19];
    /// Only of kernels that have a part of a program: a base or an extension value handed on to a later kernel, taken by it, and a base
    /// column of the result read by it.
    pub(crate) const GIVE: [u32; 2] = [20, 21];
    pub(crate) const TAKE: [u32; 2] = [22, 23];
    pub(crate) const READ: u32 = 24;

    /// Whether the destination is an extension register.
    pub(crate) fn is_ext(operation: u32) -> bool {
        ![LOAD_BASE, ADD[0], SUB[0], MUL[0], NEG[0], TAKE[0], READ].contains(&operation)
    }

    /// Whether it makes a value of none: a load or what stands for one.
    pub(crate) fn is_load(operation: u32) -> bool {
        [LOAD_BASE, LOAD_EXT, TAKE[0], TAKE[1], READ].contains(&operation)
    }

    /// Whether it makes no value of one.
    pub(crate) fn is_store(operation: u32) -> bool {
        STORE.contains(&operation) || GIVE.contains(&operation)
    }
}

/// What becomes of an output.
pub(crate) enum Sink<E> {
    /// Added to an accumulator with a weight.
    Accumulate { accumulator: u32, weight: E },
    /// Stored as an extension column of the result.
    Store { column: u32 },
    /// A base output, stored as a base column of the result.
    StoreBase { column: u32 },
    /// A base output, one of the values that a row of a tree hands up.
    HandUp { value: u32 },
}

/// A program with all that is known when it runs.
pub(crate) struct Encoded {
    /// Operation, destination, operands.
    pub(crate) code: Vec<[u32; 4]>,
    pub(crate) constants: Vec<u64>,
    /// How many of the constants are the program's own, the same for all parameters; they come first.
    pub(crate) program_constants: usize,
    /// Which of the program's own constants the text of a kernel has: [`in_text`].
    pub(crate) in_text: Vec<bool>,
    /// (group, column of the group, row offset) of every load.
    pub(crate) loads: Vec<(usize, usize, i32)>,
    /// Words of the register file: a power of two.
    pub(crate) registers: u32,
    /// First word of every accumulator.
    pub(crate) accumulators: Vec<u32>,
    /// Of every accumulator what is the same on all rows, as the place of a constant. The last instructions add these, with weights of
    /// one.
    pub(crate) totals: Vec<Option<usize>>,
}

/// Most constants of a program that kernels read as parameters.
const MOST_IN_PARAMS: usize = 32;

/// Which constants of a program stand in the text of its kernels: small ones and powers of two, with which a compiler can do more, and
/// those beyond the first [`MOST_IN_PARAMS`] of the others, which would fill a parameter block. Programs that differ in the others alone,
/// such as where a segment of memory starts or what a public value is, have the same text.
pub(crate) fn in_text(constants: &[u64]) -> Vec<bool> {
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
    /// The instructions without what is the same on all rows.
    pub(crate) fn row_code(&self) -> &[[u32; 4]] {
        &self.code[..self.code.len() - self.totals.iter().flatten().count()]
    }
}
