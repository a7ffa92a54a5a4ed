//! Where instructions are: in the program, and in any other segment that the program jumps to.
//!
//! A state has the address of its instruction, which is not known for other segments before the run ends. Until then
//! each of them has a window of addresses that no run has.

use super::cell::Cell;
use super::decode::Decoded;
use super::memory::PROGRAM;

/// The first address of a window.
pub(crate) const FIRST_WINDOW: u32 = 1 << 30;

/// A segment that has instructions.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) segment: usize,
    /// The address of its first cell, and how many addresses there are from it on.
    pub(super) base: u32,
    pub(super) window: usize,
    /// Its decoded instructions, up to the last one, and the cells behind them.
    pub(super) table: Vec<Decoded>,
    pub(super) immediates: Vec<Cell>,
}

impl Code {
    /// The cell behind an instruction, if it was known when that was decoded.
    #[inline(always)]
    pub(super) fn immediate(&self, pc: usize) -> Cell {
        self.immediates.get(pc).copied().unwrap_or_default()
    }

    /// A program of so many words.
    pub(super) fn of_program(words: usize) -> Self {
        Self { segment: PROGRAM, base: 1, window: words, table: Vec::new(), immediates: Vec::new() }
    }
}
