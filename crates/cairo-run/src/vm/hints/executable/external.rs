//! Hints of the wrapper around an executable's `main`: arguments in, dictionaries put in a row.

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::{Machine, custom, operand};

/// Writes the arguments to a new segment, and its start and end to `dst` and `dst + 1`.
pub(super) fn write_run_param(
    vm: &mut Machine<'_>,
    arguments: &[Felt252],
    index: &ResOperand,
    dst: &CellRef,
) -> Result<(), HintError> {
    let index = operand::felt(vm, index)?;
    if index != Felt252::ZERO {
        return Err(custom(format!("it asks for run parameter {index}; an executable has one, the arguments")));
    }
    let start = vm.add_memory_segment()?;
    let end = (start + arguments.len())?;
    vm.load_data(start, arguments.iter().map(|word| (*word).into()).collect())?;
    let dst = operand::address(vm, dst)?;
    vm.insert_value(dst, start)?;
    vm.insert_value((dst + 1u32)?, end)
}

/// Lets the temporary segment that begins at `src` become part of another segment, at `dst`.
pub(super) fn add_relocation_rule(vm: &mut Machine<'_>, src: &ResOperand, dst: &ResOperand) -> Result<(), HintError> {
    let (src, dst) = (operand::pointer(vm, src)?, operand::any(vm, dst)?);
    vm.add_relocation_rule(src, dst)
}
