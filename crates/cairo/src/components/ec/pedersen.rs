//! Pedersen hashes: operands and result in memory, and where their chains of additions end.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{felt_hex, felt_limbs};
use super::super::machine::{ComponentProgram, List, Machine, record};
use super::line::Line;
use super::window::{MEETS_TABLE, Windows};
use super::{Point, below_prime};

/// Ids of an instance: two operands and the result.
const IDS: usize = 3;

impl Windows {
    /// Where the first chain starts: `2n + 1` times the shift point, for `n` windows of an operand. Every point that a
    /// window chooses has minus the shift point in it, so that the second chain ends at the shift point plus the
    /// multiples.
    pub(super) fn start<'r>(self, machine: &Machine<'r>) -> Point<'r> {
        let [x, y] = match self {
            Self::Bits18 => [
                "0x06521c2c1a465ec887cf97408062bafc553e4e96b382a21b26ce7a2f034277fe",
                "0x0469b0c24f6f31c373a18afc9179d219652e15037e9dd997d142979c2b54f09c",
            ],
            Self::Bits9 => [
                "0x069f01d286670745c7e5c008b19c9a8496a94ef0d077adc64fcb140f25eafbab",
                "0x06384e081553b728d185c416ad40ad286850896e6d40832b45b85328dddb49fc",
            ],
        };
        Point { x: felt_hex(machine, x), y: felt_hex(machine, y) }
    }

    fn aggregator(self, machine: &Machine<'_>) {
        let recorder = machine.recorder();
        let ids = recorder.inputs(0, IDS);
        let [left, right, result] = [0, 1, 2].map(|id| machine.value(ids.at(id)));
        let additions = machine.list(List::PartialEcMulWindow, self.entry(), 2 * self.count());
        machine.columns(ids);
        for operand in [left, right] {
            machine.columns(felt_limbs(machine, operand));
        }
        for operand in [left, right] {
            below_prime(machine, operand);
        }

        let zero = machine.word(0);
        let mut accumulator = self.start(machine);
        for (half, operand) in [left, right].into_iter().enumerate() {
            let chain = (recorder.row() << 1) + half as u32;
            let windows: Vec<_> = operand.split(self.bits(), self.count()).iter().collect();
            for shifted in 0..self.count() {
                let site = half * self.count() + shifted;
                let round = machine.word(site as u32);
                let mut entry = vec![chain, round];
                entry.extend(windows[shifted..].iter().copied().chain(std::iter::repeat_n(zero, shifted)));
                entry.extend(accumulator.words());
                recorder.emit(additions, site, recorder.pack(&entry));
                let point = self.point(machine, round, windows[shifted]);
                accumulator = Line::through(machine, accumulator, point, MEETS_TABLE).sum;
            }
            machine.columns(recorder.words(&vec![0; self.count()]));
            accumulator.columns(machine);
        }
        let claim = "the result of a Pedersen instance in memory is the hash of its operands";
        recorder.assert(claim, accumulator.x.same(result));
        machine.columns(machine.enabler() * recorder.input(IDS));
    }
}

/// Whole hashes, with windows of 18 bits. Source entries: the ids of two operands and the result, how often that hash
/// is asked for; padding rows count as asked for zero times.
///
/// Columns: the ids; limbs of the operands; of both the proofs that they are below the prime, 3 each; for each of the
/// two chains its end: windows, which are zero, and limbs of the accumulator; the multiplicity.
///
/// Chains have the numbers `2 row` and `2 row + 1`. Each window is an entry of [`List::PartialEcMulWindow`], the first
/// operand's first.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn pedersen_aggregator_window_bits_18() -> Result<ComponentProgram, RowProgramError> {
    record(IDS + 1, |machine| Windows::Bits18.aggregator(machine))
}

/// As [`pedersen_aggregator_window_bits_18`] with windows of 9 bits.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn pedersen_aggregator_window_bits_9() -> Result<ComponentProgram, RowProgramError> {
    record(IDS + 1, |machine| Windows::Bits9.aggregator(machine))
}
