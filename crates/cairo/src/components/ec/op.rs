//! The ec_op builtin: `p + m q`.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{felt_limbs, felt_words27};
use super::super::machine::{ComponentProgram, List, WORD27_BITS, record};
use super::generic::{ENTRY, FIRST, MEETS_POINT, NO_DOUBLE};
use super::line::Line;
use super::{Point, WORDS, below_prime};

/// Cells of an instance: p, q, m, the result.
const CELLS: u32 = 7;
/// Bits of `m`, and rounds of a chain.
const BITS: usize = 252;

/// Whole instances. Source entries: the address of the segment.
///
/// Columns: of p.x, p.y, q.x, q.y and m the id and limbs; of m the proof that it is below the prime, 3; the end of its
/// chain: ten words of m, which are zero, limbs of q and of the accumulator, the counter; the ids of the result.
///
/// Each bit of m is an entry of [`List::PartialEcMulGeneric`], lowest first; the chain's number is the row.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn ec_op_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let recorder = machine.recorder();
        let row = recorder.row();
        let start = recorder.input(0) + row * CELLS;
        let ids: Vec<_> = (0..CELLS).map(|cell| machine.id(start + cell)).collect();
        let values: Vec<_> = ids.iter().map(|id| machine.value(*id)).collect();
        let steps = machine.list(List::PartialEcMulGeneric, ENTRY, BITS);
        for (id, value) in ids.iter().zip(&values).take(5) {
            machine.columns(*id);
            machine.columns(felt_limbs(machine, *value));
        }
        let m = values[4];
        below_prime(machine, m);

        let mut accumulator = Point { x: values[0], y: values[1] };
        let mut q = Point { x: values[2], y: values[3] };
        let zeros = recorder.words(&[0; WORDS]);
        let words = recorder.pack(&[felt_words27(m), zeros]);
        for bit in 0..BITS {
            let (word, shift) = (bit / WORD27_BITS as usize, bit as u32 % WORD27_BITS);
            let left = words.slice(word, WORDS);
            let lowest = left.at(0) >> shift;
            let (chain, round, counter) = (row, machine.word(bit as u32), machine.word(FIRST - shift));
            let [[qx, qy], [x, y]] = [q.words(), accumulator.words()];
            let entry = [chain, round, lowest, left.slice(1, WORDS - 1), qx, qy, x, y, counter];
            recorder.emit(steps, bit, recorder.pack(&entry));

            let sum = Line::through(machine, accumulator, q, MEETS_POINT).sum;
            accumulator = Point::select(machine, lowest & 1, sum, accumulator);
            q = Line::touching(machine, q, NO_DOUBLE).sum;
        }
        let claim = "the result of an ec_op instance in memory is p + m q";
        recorder.assert(claim, accumulator.x.same(values[5]) & accumulator.y.same(values[6]));

        machine.columns(zeros);
        q.columns(machine);
        accumulator.columns(machine);
        machine.columns(machine.word(FIRST - BITS as u32 % WORD27_BITS));
        machine.columns(recorder.pack(&ids[5..]));
    })
}
