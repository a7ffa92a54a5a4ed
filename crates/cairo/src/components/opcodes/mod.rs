//! The row programs of the opcode components and of verify_instruction.
//!
//! The source of an opcode component is its states: `(pc, ap, fp)`, three values an entry; padding rows repeat entry 0.
//! Its columns start with these three and end with the enabler. `Step` is such a row; each program is in the file of
//! its family.

mod arithmetic;
mod assert_eq;
mod call;
mod generic;
mod instruction;
mod jump;
#[cfg(test)]
mod tests;

use gpu_hal::ir::RowProgramError;

pub(crate) use arithmetic::{
    add_ap_opcode, add_opcode, add_opcode_small, mul_opcode, mul_opcode_small, qm_31_add_mul_opcode,
};
pub(crate) use assert_eq::{assert_eq_opcode, assert_eq_opcode_double_deref, assert_eq_opcode_imm};
pub(crate) use call::{call_opcode_abs, call_opcode_rel_imm, ret_opcode};
pub(crate) use generic::generic_opcode;
pub(crate) use instruction::verify_instruction;
pub(crate) use instruction::{Flag, Offset};
pub(crate) use jump::{
    jnz_opcode_non_taken, jnz_opcode_taken, jump_opcode_abs, jump_opcode_double_deref, jump_opcode_rel,
    jump_opcode_rel_imm,
};

use super::felt::{address, felt_limbs, small};
use super::machine::{ComponentProgram, Counter, Machine, W, record};
use instruction::Instruction;

/// Values of a state: pc, ap, fp.
const STATE_VALUES: usize = 3;

/// A row of an opcode component: a state and the instruction at its pc.
pub(crate) struct Step<'m, 'r> {
    pub(crate) machine: &'m Machine<'r>,
    pub(crate) pc: W<'r>,
    pub(crate) ap: W<'r>,
    pub(crate) fp: W<'r>,
    instruction: Instruction<'r>,
}

/// Records an opcode component: `body` writes the columns between the state and the enabler.
pub(crate) fn opcode(body: impl FnOnce(&Step<'_, '_>)) -> Result<ComponentProgram, RowProgramError> {
    record(STATE_VALUES, |machine| {
        let state = machine.recorder().inputs(0, STATE_VALUES);
        let [pc, ap, fp] = [0, 1, 2].map(|value| state.at(value));
        machine.columns(state);
        body(&Step { machine, pc, ap, fp, instruction: Instruction::at(machine, pc) });
        machine.columns(machine.enabler());
    })
}

impl<'r> Step<'_, 'r> {
    /// A flag of the instruction: 0 or 1.
    pub(crate) fn flag(&self, flag: Flag) -> W<'r> {
        self.instruction.flag(flag)
    }

    /// The opcode extension of the instruction.
    pub(crate) fn extension(&self) -> W<'r> {
        self.instruction.extension
    }

    /// Columns: these offsets as the instruction has them, with `2^15` added.
    pub(crate) fn offset_columns(&self, offsets: &[Offset]) {
        offsets.iter().for_each(|offset| self.machine.columns(self.instruction.biased(*offset)));
    }

    /// Columns: these flags.
    pub(crate) fn flag_columns(&self, flags: &[Flag]) {
        flags.iter().for_each(|flag| self.machine.columns(self.flag(*flag)));
    }

    /// Columns: these words.
    pub(crate) fn columns(&self, words: &[W<'r>]) {
        words.iter().for_each(|words| self.machine.columns(*words));
    }

    fn fp_or(&self, is_fp: Flag, otherwise: W<'r>) -> W<'r> {
        self.machine.recorder().select(self.flag(is_fp), self.fp, otherwise)
    }

    /// The base of dst's offset.
    pub(crate) fn dst_base(&self) -> W<'r> {
        self.fp_or(Flag::DstFp, self.ap)
    }

    /// The base of op0's offset.
    pub(crate) fn op0_base(&self) -> W<'r> {
        self.fp_or(Flag::Op0Fp, self.ap)
    }

    /// The base of op1's offset, unless that is op0.
    pub(crate) fn op1_base(&self) -> W<'r> {
        self.machine.recorder().select(self.flag(Flag::Op1Imm), self.pc, self.fp_or(Flag::Op1Fp, self.ap))
    }

    /// The address at an offset of the instruction from a base.
    pub(crate) fn cell(&self, base: W<'r>, offset: Offset) -> W<'r> {
        base + self.instruction.biased(offset) - (1 << 15)
    }

    /// The id of the value there: one use of the address.
    pub(crate) fn id_at(&self, base: W<'r>, offset: Offset) -> W<'r> {
        self.machine.id(self.cell(base, offset))
    }

    /// Columns: an id and the address that is its value, which is returned. One use of the id.
    pub(crate) fn address_columns(&self, id: W<'r>) -> W<'r> {
        let address = address(self.machine, id);
        self.columns(&[id, address.columns]);
        address.value
    }

    /// Columns: an id and the small felt that is its value, which is returned as a signed number. One use of the id.
    pub(crate) fn small_columns(&self, id: W<'r>) -> W<'r> {
        let small = small(self.machine, id);
        self.columns(&[id, small.columns]);
        small.value
    }

    /// Columns: an id and the 28 limbs of its value, which are returned. One use of the id.
    pub(crate) fn felt_columns(&self, id: W<'r>) -> W<'r> {
        let limbs = felt_limbs(self.machine, self.machine.value(id));
        self.columns(&[id, limbs]);
        limbs
    }

    /// Requests that show that the next ap is below `2^29`. Returns its low eleven bits.
    pub(crate) fn check_next_ap(&self, next_ap: W<'r>) -> W<'r> {
        let low = next_ap & ((1 << 11) - 1);
        self.machine.uses(Counter::RangeCheck18, 0, next_ap >> 11);
        self.machine.uses(Counter::RangeCheck11, 0, low);
        low
    }
}
