//! Calls, which store fp and the pc to return to at ap, and returns.

use gpu_hal::ir::RowProgramError;

use super::super::machine::ComponentProgram;
use super::{Flag, Offset, Step, opcode};

/// Columns: the values that the call stores at ap and `ap + 1`.
fn stored(step: &Step<'_, '_>) {
    let recorder = step.machine.recorder();
    let fp = step.address_columns(step.machine.id(step.ap));
    recorder.assert("a call stores fp at ap", fp.equal(step.fp));
    step.address_columns(step.machine.id(step.ap + 1));
}

/// call_opcode_abs: `call abs [..]`, 25 columns.
pub(crate) fn call_opcode_abs() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let base = step.op1_base();
        step.offset_columns(&[Offset::Op1]);
        step.flag_columns(&[Flag::Op1Fp]);
        stored(step);
        step.columns(&[base]);
        step.address_columns(step.id_at(base, Offset::Op1));
    })
}

/// call_opcode_rel_imm: `call rel imm`, 24 columns.
pub(crate) fn call_opcode_rel_imm() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        stored(step);
        step.small_columns(step.machine.id(step.pc + 1));
    })
}

/// ret_opcode: `ret`, 16 columns.
pub(crate) fn ret_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        for back in [1, 2] {
            step.address_columns(step.machine.id(step.fp - back));
        }
    })
}
