//! The row programs of the memory components. They are run after all others, as their columns hold how often each entry
//! was used.

use cairo_run::BIG_ID;
use gpu_hal::ir::RowProgramError;

use super::bounds::ADDRESS_COLUMNS;
use super::felt::{felt_of_words27, rc99};
use super::machine::{ComponentProgram, Counter, LIMBS, Table, record};

/// Limbs of a small value.
const SMALL_LIMBS: usize = 8;

/// The public memory: one use of the address that is the source entry, and of its id. It makes no columns.
pub(crate) fn public_memory() -> Result<ComponentProgram, RowProgramError> {
    record(1, |machine| {
        let (recorder, there) = (machine.recorder(), machine.enabler());
        let address = recorder.input(0);
        let id = recorder.read_if(machine.table(Table::AddressToId), 0, address, there);
        recorder.count_if(machine.counter(Counter::Address), address, there);
        let (is_big, index) = (id >> 30, id & (BIG_ID - 1));
        recorder.count_if(machine.counter(Counter::Big), index, there & is_big);
        recorder.count_if(machine.counter(Counter::Small), index, there & (is_big ^ 1));
    })
}

/// memory_address_to_id: 16 pairs of an id and how often its address is used. With R rows, row r of pair k is about
/// address `k R + r + 1`. Pairs beyond the addresses hold zeros. The one source entry is R and the highest address.
pub(crate) fn memory_address_to_id() -> Result<ComponentProgram, RowProgramError> {
    record(2, |machine| {
        let recorder = machine.recorder();
        let [rows, addresses] = [0, 1].map(|value| recorder.input(value));
        let [ids, uses] = [Table::AddressToId, Table::AddressUses].map(|table| machine.table(table));
        for pair in 0..ADDRESS_COLUMNS as u32 {
            let index = rows * pair + recorder.row();
            let there = index.less(addresses);
            machine.columns(recorder.read_if(ids, 0, index + 1, there));
            machine.columns(recorder.read_if(uses, 0, index + 1, there));
        }
    })
}

/// A chunk of memory_id_to_big: the 28 limbs of a value, and how often it is used.
pub(crate) fn memory_id_to_big() -> Result<ComponentProgram, RowProgramError> {
    values([Table::Big, Table::BigUses], LIMBS)
}

/// memory_id_to_small: the 8 limbs of a value, and how often it is used.
pub(crate) fn memory_id_to_small() -> Result<ComponentProgram, RowProgramError> {
    values([Table::Small, Table::SmallUses], SMALL_LIMBS)
}

/// Values and their uses. The one source entry is the index of row 0's value and the number of all values; rows beyond
/// them hold zeros. Limbs of all rows are requested to have nine bits.
fn values([values, uses]: [Table; 2], limbs: usize) -> Result<ComponentProgram, RowProgramError> {
    record(2, |machine| {
        let recorder = machine.recorder();
        let [first, count] = [0, 1].map(|value| recorder.input(value));
        let index = first + recorder.row();
        let there = index.less(count);
        let read = |table: Table| {
            let number = machine.table(table);
            let words: Vec<_> =
                (0..table.width()).map(|column| recorder.read_if(number, column, index, there)).collect();
            recorder.pack(&words)
        };
        let value = felt_of_words27(read(values));
        machine.columns(machine.limbs(value, limbs));
        machine.columns(read(uses));
        rc99(machine, value, limbs / 2);
    })
}
