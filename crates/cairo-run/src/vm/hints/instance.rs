//! An instance of the builtins `add_mod` and `mul_mod`, which is a gate of a circuit: the modulus, a pointer to a table
//! of values, a pointer to the offsets of the gate's values in it, and how many gates are left.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::error::custom;
use super::machine::Machine;

/// Words of a number, the lowest first.
const WORDS: usize = 4;
/// Bits of a word.
const WORD_BITS: usize = 96;
/// Cells of an instance. The first are the modulus.
pub(super) const INSTANCE: usize = 7;
/// The cell of the table.
pub(super) const TABLE: usize = 4;
/// The cell of the offsets.
pub(super) const OFFSETS: usize = 5;
/// The cell that says how many gates are left.
pub(super) const LEFT: usize = 6;
/// Offsets of a gate: of its two operands, then of its result.
pub(super) const GATE: usize = 3;

/// The number in four words, if all are known.
pub(super) fn value_at(vm: &Machine<'_>, start: Relocatable) -> Result<Option<BigUint>, HintError> {
    let mut value = BigUint::ZERO;
    for index in 0..WORDS {
        match vm.get_maybe(&(start + index)?) {
            None => return Ok(None),
            Some(MaybeRelocatable::Int(word)) if word.bits() <= WORD_BITS => {
                value += word.to_biguint() << (WORD_BITS * index);
            }
            Some(_) => return Err(custom("a word of a circuit's value has more than 96 bits")),
        }
    }
    Ok(Some(value))
}

/// Writes a number to four words.
pub(super) fn write_value(vm: &mut Machine<'_>, start: Relocatable, value: &BigUint) -> Result<(), HintError> {
    if value.bits() > (WORDS * WORD_BITS) as u64 {
        return Err(custom("a value of a circuit has more than four words"));
    }
    let mask = (BigUint::from(1_u32) << WORD_BITS) - 1_u32;
    for index in 0..WORDS {
        vm.insert_value((start + index)?, Felt252::from((value >> (WORD_BITS * index)) & &mask))?;
    }
    Ok(())
}

/// Where the values of a gate are, of which the offsets of gates and the table begin there.
pub(super) fn cells(
    vm: &Machine<'_>,
    (table, offsets): (Relocatable, Relocatable),
    gate: usize,
) -> Result<[Relocatable; GATE], HintError> {
    let mut cells = [table; GATE];
    for (number, cell) in cells.iter_mut().enumerate() {
        *cell = (table + &vm.get_integer((offsets + (GATE * gate + number))?)?)?;
    }
    Ok(cells)
}

/// Writes the instance of a gate: the modulus, the table, the gate's offsets, and how many gates are left.
pub(super) fn write_instance(
    vm: &mut Machine<'_>,
    start: Relocatable,
    modulus: &BigUint,
    (table, offsets): (Relocatable, Relocatable),
    left: usize,
) -> Result<(), HintError> {
    write_value(vm, start, modulus)?;
    vm.insert_value((start + TABLE)?, table)?;
    vm.insert_value((start + OFFSETS)?, offsets)?;
    vm.insert_value((start + LEFT)?, Felt252::from(left))
}
