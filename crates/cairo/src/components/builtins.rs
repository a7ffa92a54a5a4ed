//! The row programs of the builtins that have a row for each instance and read nothing but its cells.
//!
//! The one source entry is the address of the segment: instance `i` has its cells at `start + cells i`. All instances
//! are there, padded by the adapter, so there is no enabler.

use gpu_hal::ir::RowProgramError;

use super::felt::felt_limbs;
use super::machine::{ComponentProgram, Counter, Machine, W, record};

/// The ids of the cells of a row's instance, one use of each address.
pub(super) fn cell_ids<'r>(machine: &Machine<'r>, cells: u32) -> Vec<W<'r>> {
    let first = machine.recorder().input(0) + machine.recorder().row() * cells;
    (0..cells).map(|cell| machine.id(first + cell)).collect()
}

/// Columns: the ids of an instance's cells, and nothing else.
fn ids(cells: u32) -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| cell_ids(machine, cells).into_iter().for_each(|id| machine.columns(id)))
}

/// pedersen_builtin and pedersen_builtin_narrow_windows: the ids of both operands and of the result.
pub(crate) fn pedersen_builtin() -> Result<ComponentProgram, RowProgramError> {
    ids(3)
}

/// poseidon_builtin: the ids of three inputs and three outputs.
pub(crate) fn poseidon_builtin() -> Result<ComponentProgram, RowProgramError> {
    ids(6)
}

/// range_check_builtin: the id, 15 limbs, and bit 1 of the last, whose two bits are 126 and 127 of the value.
pub(crate) fn range_check_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let id = cell_ids(machine, 1)[0];
        let limbs = machine.limbs(machine.value(id), 15);
        machine.columns(id);
        machine.columns(limbs);
        machine.columns((limbs.at(14) & 2) >> 1);
    })
}

/// range_check96_builtin: the id and 11 limbs, of which the last has six bits.
pub(crate) fn range_check96_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let id = cell_ids(machine, 1)[0];
        let limbs = word96_limbs(machine, machine.value(id));
        machine.uses(Counter::RangeCheck6, 0, limbs.at(10));
        machine.columns(id);
        machine.columns(limbs);
    })
}

/// The limbs of a word of 96 bits.
pub(super) fn word96_limbs<'r>(machine: &Machine<'r>, value: W<'r>) -> W<'r> {
    machine.limbs(value, 11)
}

/// bitwise_builtin: x and y, each the id and 28 limbs; the limbs of `x xor y`; the ids of xor, and, or.
pub(crate) fn bitwise_builtin() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let ids = cell_ids(machine, 5);
        let [x, y] = [ids[0], ids[1]].map(|id| felt_limbs(machine, machine.value(id)));
        machine.uses(Counter::Xor9, 0, (x.slice(0, 27) << 9) | y.slice(0, 27));
        machine.uses(Counter::Xor8, 0, (x.at(27) << 8) | y.at(27));
        for (id, limbs) in [(ids[0], x), (ids[1], y)] {
            machine.columns(id);
            machine.columns(limbs);
        }
        machine.columns(x ^ y);
        for id in &ids[2..] {
            machine.uses_id(*id);
            machine.columns(*id);
        }
    })
}
