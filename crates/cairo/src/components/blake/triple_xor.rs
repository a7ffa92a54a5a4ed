//! triple_xor_32: the XOR of three words, looked up byte by byte.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, Counter, record};
use super::TRIPLE_XOR_ENTRY;

/// triple_xor_32: 21 columns, from the entries of `List::TripleXor`.
pub(crate) fn triple_xor_32() -> Result<ComponentProgram, RowProgramError> {
    record(TRIPLE_XOR_ENTRY, |machine| {
        let entry = machine.recorder().inputs(0, TRIPLE_XOR_ENTRY);
        let (low, high) = (entry & 255, entry >> 8);
        machine.columns(entry);
        machine.columns(high);
        for half in 0..2 {
            for bytes in [low, high] {
                let [x, y, z] = [0, 2, 4].map(|word| bytes.at(word + half));
                let xy = x ^ y;
                // Bytes of the low half use letter A, bytes of the high half B.
                machine.uses(Counter::Xor8, half, (x << 8) | y);
                machine.uses(Counter::Xor8, half, (xy << 8) | z);
                machine.columns(xy);
                machine.columns(xy ^ z);
            }
        }
        machine.columns(machine.enabler());
    })
}
