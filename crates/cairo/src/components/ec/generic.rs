//! One bit of a multiplication by a number.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{felt_limbs, reduced};
use super::super::machine::{ComponentProgram, WORD27_BITS, record};
use super::line::Line;
use super::{POINT_WORDS, Point, WORDS};

/// Why a row cannot be.
pub(super) const MEETS_POINT: &str =
    "unprovable: the accumulator of an ec_op instance meets plus or minus the point that is doubled";
/// Why a row cannot be.
pub(super) const NO_DOUBLE: &str = "unprovable: an ec_op instance doubles a point whose y is zero";

/// Values of an entry before its number: the number of the chain, and of the round.
const HEAD: usize = 2;
/// Words of an entry of [`super::super::machine::List::PartialEcMulGeneric`]: chain, round, number, point, accumulator,
/// counter.
pub(super) const ENTRY: usize = HEAD + WORDS + 2 * POINT_WORDS + 1;
/// The counter at the lowest bit of a word.
pub(super) const FIRST: u32 = WORD27_BITS - 1;

/// One step of `accumulator + m q`: with the lowest bit of `m` set `q` is added to the accumulator; then `q` is doubled
/// and `m` halved. The counter says how many more bits the lowest word of `m` has; after its last bit the words move
/// down.
///
/// Source entries ([`super::super::machine::List::PartialEcMulGeneric`]): the chain's number, the round, ten words of
/// `m`, x and y of `q` and of the accumulator as ten words of 27 bits each, the counter.
///
/// Columns: the same, with limbs of the points; the bit; whether the counter is zero, and the inverse of their sum; ten
/// words of the next `m`, the next counter; of the accumulator's x and of `q`'s x what shows that they are below the
/// prime, 3 each; the inverse of the sum of `(q.x_i - accumulator.x_i)^2` over limbs; accumulator plus `q`, 168; the
/// next accumulator, 56; limbs, `k` and carries of `q.x^2`; limbs of `2 q.y`, and whether it is odd; twice `q`, 168;
/// the enabler.
///
/// The sum is made in every row, even where it is not taken.
///
/// # Errors
/// A mistake of this crate.
pub(crate) fn partial_ec_mul_generic() -> Result<ComponentProgram, RowProgramError> {
    record(ENTRY, |machine| {
        let recorder = machine.recorder();
        let limbs = |x| felt_limbs(machine, x);
        let head = recorder.inputs(0, HEAD + WORDS);
        let q = Point::from_words(recorder.inputs(head.len(), POINT_WORDS));
        let accumulator = Point::from_words(recorder.inputs(head.len() + POINT_WORDS, POINT_WORDS));
        let (number, counter) = (head.slice(HEAD, WORDS), recorder.input(ENTRY - 1));
        machine.columns(head);
        q.columns(machine);
        accumulator.columns(machine);

        let (bit, is_last) = (number.at(0) & 1, counter.is(0));
        machine.columns(recorder.pack(&[counter, bit, is_last]));
        recorder.column((counter + is_last).element().inverse());
        let halved = recorder.pack(&[number.at(0) >> 1, number.slice(1, WORDS - 1)]);
        let moved = recorder.pack(&[number.slice(1, WORDS - 1), machine.word(0)]);
        machine.columns(recorder.select(is_last, moved, halved));
        machine.columns(recorder.select(is_last, machine.word(FIRST), counter - 1));

        machine.columns(reduced(machine, limbs(accumulator.x)));
        machine.columns(reduced(machine, limbs(q.x)));
        let difference = limbs(q.x) - limbs(accumulator.x);
        recorder.column((difference * difference).sum().element().inverse());
        let line = Line::through(machine, accumulator, q, MEETS_POINT);
        line.columns(machine);
        Point::select(machine, bit, line.sum, accumulator).columns(machine);

        Line::touching(machine, q, NO_DOUBLE).columns(machine);
        machine.columns(machine.enabler());
    })
}
