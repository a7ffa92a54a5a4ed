//! blake_g: a G function, whose XORs are looked up in parts of words.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, Counter, Machine, W, record};
use super::{G_ENTRY, GStep, g, words_of_halves};

/// Requests for the XOR of each word of `x` and the same word of `y`, all of `bits` bits. With 8 bits word `i` uses
/// relation letter `i`.
fn uses_xor<'r>(machine: &Machine<'r>, bits: u32, x: W<'r>, y: W<'r>) {
    let row = |bits: u32| (x << bits) | y;
    match bits {
        4 => machine.uses(Counter::Xor4, 0, row(4)),
        7 => machine.uses(Counter::Xor7, 0, row(7)),
        8 => machine.uses_in_turn(Counter::Xor8, row(8)),
        9 => machine.uses(Counter::Xor9, 0, row(9)),
        _ => {
            // The table of 12 bits has a column for each value of the two highest bits of both, rows by the ten lowest.
            let column = ((x >> 10) << 2) | (y >> 10);
            let row = ((x & 1023) << 10) | (y & 1023);
            machine.recorder().count(machine.counter(Counter::Xor12), (column << 20) | row);
        }
    }
}

/// Columns of a step: the halves of the sum; the high parts of the halves of both words (`shift` bits are low); per
/// half the XOR of the low parts and of the high parts.
fn step_columns<'r>(machine: &Machine<'r>, step: GStep<'r>, shift: u32) {
    let halves = machine.recorder().pack(&step.xor).split(16, 4);
    let (low, high) = (halves & ((1 << shift) - 1), halves >> shift);
    let [x_low, y_low] = [low.slice(0, 2), low.slice(2, 2)];
    let [x_high, y_high] = [high.slice(0, 2), high.slice(2, 2)];
    uses_xor(machine, shift, x_low, y_low);
    uses_xor(machine, 16 - shift, x_high, y_high);
    let (low, xors_high) = (x_low ^ y_low, x_high ^ y_high);
    machine.columns(step.sum.split(16, 2));
    machine.columns(high);
    for half in 0..2 {
        machine.columns(low.at(half));
        machine.columns(xors_high.at(half));
    }
}

/// blake_g: 53 columns, from the entries of `List::BlakeG`.
pub(crate) fn blake_g() -> Result<ComponentProgram, RowProgramError> {
    record(G_ENTRY, |machine| {
        let entry = machine.recorder().inputs(0, G_ENTRY);
        let words = words_of_halves(entry);
        let (_, steps) = g([0, 1, 2, 3].map(|word| words.at(word)), [4, 5].map(|word| words.at(word)));
        machine.columns(entry);
        // The parts meet at the bit by which the step rotates; by 16 bits there is no such bit, and the halves are cut
        // in bytes.
        steps.into_iter().zip([8, 12, 8, 7]).for_each(|(step, shift)| step_columns(machine, step, shift));
        machine.columns(machine.enabler());
    })
}
