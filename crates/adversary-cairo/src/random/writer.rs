//! A program that is being written, and the steps that all pieces take.

use num_bigint::BigInt;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::library::Library;
use crate::assembler::{BUILTINS, Cell, Instruction, Program, Value, flag, number};

/// Offsets in an instruction have 16 bits; a piece takes less than the difference.
pub(super) const MAX_DEPTH: i64 = 30_000;

/// A program that is being written.
pub(super) struct Writer {
    pub(super) random: ChaCha8Rng,
    pub(super) program: Program,
    pub(super) library: Library,
    /// The builtins that the main function takes, in their order.
    pub(super) builtins: Vec<usize>,
    /// Instances of each of all builtins so far.
    pub(super) used: [usize; BUILTINS.len()],
    /// `ap - fp`.
    pub(super) depth: i64,
    pub(super) with_ec: bool,
    pub(super) has_output: bool,
}

impl Writer {
    /// `[ap] = value, ap += 1`.
    pub(super) fn push(&mut self, value: Value) {
        self.program.add(Instruction::assert(Cell::Ap(0), value).with(flag::AP_ADD1));
        self.depth += 1;
    }

    pub(super) fn push_number(&mut self) {
        let felt = self.felt();
        self.push(Value::Is(number(felt)));
    }

    /// Pushes something that is no address.
    pub(super) fn push_known(&mut self, value: impl Into<BigInt>) {
        self.push(Value::Is(number(value)));
    }

    /// After a piece whose last cells are addresses, or none: four numbers.
    pub(super) fn recover(&mut self) {
        (0..4).for_each(|_| self.push_number());
    }

    /// One of the last four cells.
    pub(super) fn recent(&mut self) -> Cell {
        Cell::Ap(-self.random.random_range(1..=4))
    }

    pub(super) fn add_ap(&mut self, value: Value, by: i64) {
        self.program.add(Instruction::new(value, flag::AP_ADD));
        self.depth += by;
    }

    /// Words that do nothing.
    pub(super) fn skip(&mut self, words: usize) {
        (0..words).for_each(|_| self.program.add(Instruction::nothing()));
    }

    /// Calls a function that leaves `cells` cells, its frame's two among them.
    pub(super) fn call_to(&mut self, function: usize, cells: i64) {
        let by = BigInt::from(function) - BigInt::from(self.program.here());
        self.program.add(Instruction::call(number(by)));
        self.depth += cells;
    }

    /// Pushes the address of an offset of the program.
    pub(super) fn address(&mut self, offset: usize) {
        self.call_to(self.library.get_pc, 3);
        // It returns where it will return to.
        let base = self.program.here();
        self.push(Value::Sum(Cell::Ap(-1), number(BigInt::from(offset) - BigInt::from(base))));
    }

    /// Words that [`Self::address`] takes.
    pub(super) const ADDRESS_WORDS: usize = 4;

    /// The last cell, by `fp`.
    pub(super) fn last(&self) -> Cell {
        Cell::Fp(i16::try_from(self.depth - 1).expect("pieces begin below MAX_DEPTH"))
    }

    /// Where the main function finds the pointer of a builtin, if it takes it.
    pub(super) fn argument(&self, builtin: usize) -> Option<Cell> {
        let at = self.builtins.iter().position(|&index| index == builtin)?;
        Some(Cell::Fp(at as i16 - 2 - self.builtins.len() as i16))
    }
}
