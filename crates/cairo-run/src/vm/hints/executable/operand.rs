//! Operands of hints: where a hint reads and where it writes.

use cairo_lang_casm::operand::{CellRef, DerefOrImmediate, Operation, Register, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::{Machine, custom};

/// The address of a cell: `[ap + offset]` or `[fp + offset]`.
pub(super) fn address(vm: &Machine<'_>, cell: &CellRef) -> Result<Relocatable, HintError> {
    let base = match cell.register {
        Register::AP => vm.get_ap(),
        Register::FP => vm.get_fp(),
    };
    Ok((base + i32::from(cell.offset))?)
}

/// Writes a felt or a pointer into a cell. A cell that has another value already is an error.
pub(super) fn write(vm: &mut Machine<'_>, cell: &CellRef, value: impl Into<MaybeRelocatable>) -> Result<(), HintError> {
    let address = address(vm, cell)?;
    vm.insert_value(address, value)
}

/// The felt or the pointer in a cell of memory.
pub(super) fn read(vm: &Machine<'_>, address: Relocatable) -> Result<MaybeRelocatable, HintError> {
    vm.get_maybe(&address).ok_or_else(|| custom(format!("it reads memory cell {address}, which has no value")))
}

/// The value of an operand, a felt or a pointer.
pub(super) fn any(vm: &Machine<'_>, operand: &ResOperand) -> Result<MaybeRelocatable, HintError> {
    match operand {
        ResOperand::Deref(cell) => read(vm, address(vm, cell)?),
        ResOperand::DoubleDeref(cell, offset) => {
            let base = vm.get_relocatable(address(vm, cell)?)?;
            read(vm, (base + i32::from(*offset))?)
        }
        ResOperand::Immediate(number) => Ok(Felt252::from(&number.value).into()),
        ResOperand::BinOp(operation) => {
            let a = read(vm, address(vm, &operation.a)?)?;
            let b = match &operation.b {
                DerefOrImmediate::Deref(cell) => read(vm, address(vm, cell)?)?,
                DerefOrImmediate::Immediate(number) => Felt252::from(&number.value).into(),
            };
            match (&operation.op, a, b) {
                (Operation::Add, a, b) => Ok(a.add(&b)?),
                (Operation::Mul, MaybeRelocatable::Int(a), MaybeRelocatable::Int(b)) => Ok((a * b).into()),
                (Operation::Mul, ..) => Err(custom("it multiplies a pointer")),
            }
        }
    }
}

/// The value of an operand that must be a felt.
pub(super) fn felt(vm: &Machine<'_>, operand: &ResOperand) -> Result<Felt252, HintError> {
    match any(vm, operand)? {
        MaybeRelocatable::Int(felt) => Ok(felt),
        MaybeRelocatable::RelocatableValue(pointer) => {
            Err(custom(format!("an operand is the pointer {pointer}, not a number")))
        }
    }
}

/// The value of an operand that must be a pointer.
pub(super) fn pointer(vm: &Machine<'_>, operand: &ResOperand) -> Result<Relocatable, HintError> {
    match any(vm, operand)? {
        MaybeRelocatable::RelocatableValue(pointer) => Ok(pointer),
        MaybeRelocatable::Int(felt) => Err(custom(format!("an operand is the number {felt}, not a pointer"))),
    }
}

/// The value of an operand that must be a felt, as an integer below the prime.
pub(super) fn integer(vm: &Machine<'_>, operand: &ResOperand) -> Result<BigUint, HintError> {
    Ok(felt(vm, operand)?.to_biguint())
}

/// The value of an operand that counts something.
pub(super) fn count(vm: &Machine<'_>, operand: &ResOperand) -> Result<usize, HintError> {
    let felt = felt(vm, operand)?;
    felt.to_usize().ok_or_else(|| custom(format!("the count {felt} is too large")))
}
