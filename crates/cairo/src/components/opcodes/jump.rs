//! Jumps: absolute and relative, from memory or immediate, and on a condition.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{distance_from_prime, felt_limbs};
use super::super::machine::{ComponentProgram, W};
use super::{Flag, Offset, Step, opcode};

/// The id of op1 of a jump, after the columns before it.
fn target<'r>(step: &Step<'_, 'r>) -> W<'r> {
    let base = step.op1_base();
    step.offset_columns(&[Offset::Op1]);
    step.flag_columns(&[Flag::Op1Fp, Flag::AddAp1]);
    step.columns(&[base]);
    step.id_at(base, Offset::Op1)
}

/// jump_opcode_abs: `jmp abs [..]`, 14 columns.
pub(crate) fn jump_opcode_abs() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        step.address_columns(target(step));
    })
}

/// jump_opcode_rel: `jmp rel [..]`, 16 columns.
pub(crate) fn jump_opcode_rel() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        step.small_columns(target(step));
    })
}

/// jump_opcode_rel_imm: `jmp rel imm`, 13 columns.
pub(crate) fn jump_opcode_rel_imm() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        step.flag_columns(&[Flag::AddAp1]);
        step.small_columns(step.machine.id(step.pc + 1));
    })
}

/// jump_opcode_double_deref: `jmp abs [[..] + offset]`, 21 columns.
pub(crate) fn jump_opcode_double_deref() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let base = step.op0_base();
        step.offset_columns(&[Offset::Op0, Offset::Op1]);
        step.flag_columns(&[Flag::Op0Fp, Flag::AddAp1]);
        step.columns(&[base]);
        let pointer = step.address_columns(step.id_at(base, Offset::Op0));
        step.address_columns(step.id_at(pointer, Offset::Op1));
    })
}

/// The id of dst of a conditional jump, after the columns before it.
fn condition<'r>(step: &Step<'_, 'r>) -> W<'r> {
    let base = step.dst_base();
    step.offset_columns(&[Offset::Dst]);
    step.flag_columns(&[Flag::DstFp, Flag::AddAp1]);
    step.columns(&[base]);
    step.id_at(base, Offset::Dst)
}

/// jnz_opcode_non_taken: `jmp rel imm if [..] != 0` where it is zero, 9 columns.
pub(crate) fn jnz_opcode_non_taken() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let id = condition(step);
        let is_zero = step.machine.words27(id).same(step.machine.word(0));
        step.machine.recorder().assert("the condition of a jump that is not taken is zero", is_zero);
        step.columns(&[id]);
    })
}

/// jnz_opcode_taken: `jmp rel imm if [..] != 0` where it is not zero, 47 columns.
pub(crate) fn jnz_opcode_taken() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let (machine, id) = (step.machine, condition(step));
        let limbs = felt_limbs(machine, machine.value(id));
        let sum = limbs.sum();
        machine.recorder().assert("the condition of a jump that is taken is not zero", sum.is(0) ^ 1);
        step.columns(&[id, limbs]);
        machine.recorder().column(sum.element().inverse());
        machine.recorder().column(distance_from_prime(machine, limbs).element().inverse());
        step.small_columns(machine.id(step.pc + 1));
    })
}
