//! Additions of points of a table.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, Counter, Machine, Table, W, record};
use super::line::Line;
use super::{POINT_WORDS, Point};

/// Why a row cannot be.
pub(super) const MEETS_TABLE: &str =
    "unprovable: the accumulator of a Pedersen hash meets plus or minus the point of the table that is added to it";

/// Values of an entry before its windows: the number of the chain, and of the round.
const HEAD: usize = 2;

/// Windows of an operand of 252 bits, lowest first, and the points that they choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Windows {
    /// 28 of 9 bits.
    Bits9,
    /// 14 of 18 bits.
    Bits18,
}

impl Windows {
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Bits9 => 9,
            Self::Bits18 => 18,
        }
    }

    /// Windows of an operand.
    pub(super) fn count(self) -> usize {
        252 / self.bits() as usize
    }

    /// Words of an entry of [`super::super::machine::List::PartialEcMulWindow`]: chain, round, windows, accumulator.
    pub(super) fn entry(self) -> usize {
        HEAD + self.count() + POINT_WORDS
    }

    fn counter(self) -> Counter {
        match self {
            Self::Bits9 => Counter::PedersenPoints9,
            Self::Bits18 => Counter::PedersenPoints18,
        }
    }

    /// The point that the window of a round chooses. It has minus the shift point in it, once a round. One of 18 bits
    /// is a sum: a table of all of them would have 2^23 rows.
    pub(super) fn point<'r>(self, machine: &Machine<'r>, round: W<'r>, window: W<'r>) -> Point<'r> {
        let part = |block: W<'r>, digit| Point::from_words(machine.row_of(Table::PedersenPoints, (block << 9) + digit));
        match self {
            Self::Bits9 => part(round, window),
            Self::Bits18 => {
                let block = round << 1;
                let (low, high) = (part(block, window & 511), part(block + 1, window >> 9));
                Line::through(machine, low, high, "the two parts of a window's point have two x").sum
            }
        }
    }

    fn addition(self, machine: &Machine<'_>) {
        let recorder = machine.recorder();
        let head = recorder.inputs(0, HEAD + self.count());
        let accumulator = Point::from_words(recorder.inputs(head.len(), POINT_WORDS));
        let (round, window) = (head.at(1), head.at(HEAD));
        machine.uses(self.counter(), 0, (round << self.bits()) + window);
        let point = self.point(machine, round, window);
        machine.columns(head);
        accumulator.columns(machine);
        point.columns(machine);
        Line::through(machine, accumulator, point, MEETS_TABLE).columns(machine);
        machine.columns(machine.enabler());
    }
}

/// One addition: the accumulator plus the point that the lowest window chooses. 14 windows of 18 bits.
///
/// Source entries ([`super::super::machine::List::PartialEcMulWindow`]): the chain's number, the round, the windows
/// that are left (zeros at the end), x and y of the accumulator as ten words of 27 bits each. Columns: chain, round,
/// windows; limbs of the accumulator and of the point, 56 each; the sum, 168; the enabler.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn partial_ec_mul_window_bits_18() -> Result<ComponentProgram, RowProgramError> {
    record(Windows::Bits18.entry(), |machine| Windows::Bits18.addition(machine))
}

/// As [`partial_ec_mul_window_bits_18`] with 28 windows of 9 bits.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn partial_ec_mul_window_bits_9() -> Result<ComponentProgram, RowProgramError> {
    record(Windows::Bits9.entry(), |machine| Windows::Bits9.addition(machine))
}
