//! `[a] = [b]`: one id for both cells shows that they hold one value.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, W};
use super::{Flag, Offset, Step, opcode};

/// The id of dst, which is that of the other cell.
fn same_id<'r>(step: &Step<'_, 'r>, dst_base: W<'r>, other_cell: W<'r>) -> W<'r> {
    let (dst, other) = (step.id_at(dst_base, Offset::Dst), step.machine.id(other_cell));
    step.machine.recorder().assert("the two sides of an assert_eq are one value", dst.equal(other));
    dst
}

/// assert_eq_opcode: `[..] = [..]`, 12 columns.
pub(crate) fn assert_eq_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let (dst, op1) = (step.dst_base(), step.op1_base());
        step.offset_columns(&[Offset::Dst, Offset::Op1]);
        step.flag_columns(&[Flag::DstFp, Flag::Op1Fp, Flag::AddAp1]);
        step.columns(&[dst, op1, same_id(step, dst, step.cell(op1, Offset::Op1))]);
    })
}

/// assert_eq_opcode_imm: `[..] = imm`, 9 columns.
pub(crate) fn assert_eq_opcode_imm() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let dst = step.dst_base();
        step.offset_columns(&[Offset::Dst]);
        step.flag_columns(&[Flag::DstFp, Flag::AddAp1]);
        step.columns(&[dst, same_id(step, dst, step.pc + 1)]);
    })
}

/// assert_eq_opcode_double_deref: `[..] = [[..] + offset]`, 19 columns.
pub(crate) fn assert_eq_opcode_double_deref() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let (dst, op0) = (step.dst_base(), step.op0_base());
        step.offset_columns(&[Offset::Dst, Offset::Op0, Offset::Op1]);
        step.flag_columns(&[Flag::DstFp, Flag::Op0Fp, Flag::AddAp1]);
        step.columns(&[dst, op0]);
        let pointer = step.address_columns(step.id_at(op0, Offset::Op0));
        step.columns(&[same_id(step, dst, step.cell(pointer, Offset::Op1))]);
    })
}
