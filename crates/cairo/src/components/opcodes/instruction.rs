//! Instructions: three offsets of 16 bits, 15 flags, an opcode extension from bit 63 on.

use gpu_hal::ir::RowProgramError;

use super::super::machine::{ComponentProgram, Counter, Machine, W, WORD27_BITS, record};

/// An offset of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offset {
    Dst,
    Op0,
    Op1,
}

/// A flag of an instruction: its bit from bit 48 on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Flag {
    DstFp,
    Op0Fp,
    Op1Imm,
    Op1Fp,
    Op1Ap,
    ResAdd,
    ResMul,
    JumpAbs,
    JumpRel,
    Jnz,
    AddAp,
    AddAp1,
    Call,
    Ret,
    AssertEq,
}

impl Flag {
    /// All of them in order.
    pub(crate) const ALL: [Self; 15] = [
        Self::DstFp,
        Self::Op0Fp,
        Self::Op1Imm,
        Self::Op1Fp,
        Self::Op1Ap,
        Self::ResAdd,
        Self::ResMul,
        Self::JumpAbs,
        Self::JumpRel,
        Self::Jnz,
        Self::AddAp,
        Self::AddAp1,
        Self::Call,
        Self::Ret,
        Self::AssertEq,
    ];
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'r> {
    /// Three offsets, each with `2^15` added.
    offsets: W<'r>,
    /// 15 bits.
    flags: W<'r>,
    /// Bits from 63 on.
    pub(crate) extension: W<'r>,
}

impl<'r> Instruction<'r> {
    /// The instruction at an address: a value below `2^66`. Neither the address nor the id is used by it:
    /// verify_instruction uses them.
    pub(crate) fn at(machine: &Machine<'r>, pc: W<'r>) -> Self {
        let words = machine.some_words27_unused(machine.id_unused(pc), &[0, 1, 2]);
        let parts = words.join(WORD27_BITS, 3).split(16, 4);
        let (flags, extension) = (parts.at(3) & 0x7fff, words.at(2) >> (63 - 2 * WORD27_BITS));
        Self { offsets: parts.slice(0, 3), flags, extension }
    }

    /// A flag: 0 or 1.
    pub(crate) fn flag(&self, flag: Flag) -> W<'r> {
        (self.flags >> flag as u32) & 1
    }

    /// An offset with `2^15` added.
    pub(crate) fn biased(&self, offset: Offset) -> W<'r> {
        self.offsets.at(offset as usize)
    }
}

/// verify_instruction: one row for each pc, 17 columns. A source entry is a pc and the number of states that have it
/// (padding rows of opcode components included), by rising pc; padding entries are the first pc and zero.
pub(crate) fn verify_instruction() -> Result<ComponentProgram, RowProgramError> {
    record(2, |machine| {
        let recorder = machine.recorder();
        let [pc, states] = [0, 1].map(|value| recorder.input(value));
        let Instruction { offsets, flags, extension } = Instruction::at(machine, pc);
        let [dst, op0, op1] = [0, 1, 2].map(|offset| offsets.at(offset));
        // The offsets cut where the limbs of the instruction's value are: 9 + 7, 2 + 9 + 5, 4 + 9 + 3 bits.
        let [dst_low, dst_high] = [dst & 511, dst >> 9];
        let [op0_low, op0_middle, op0_high] = [op0 & 3, (op0 >> 2) & 511, op0 >> 11];
        let [op1_low, op1_middle, op1_high] = [op1 & 15, (op1 >> 4) & 511, op1 >> 13];
        // Flags 0 to 5 from bit 3 on, flags 6 to 14 from bit 0 on.
        let decoded = [pc, offsets, (flags & 63) << 3, flags >> 6, extension];
        let pieces = [dst_low, dst_high, op0_low, op0_middle, op0_high, op1_low, op1_middle, op1_high];
        machine.columns(recorder.pack(&decoded));
        machine.columns(recorder.pack(&pieces));
        machine.uses(Counter::RangeCheck7x2x5, 0, (dst_high << 7) | (op0_low << 5) | op0_high);
        machine.uses(Counter::RangeCheck4x3, 0, (op1_low << 3) | op1_high);
        let id = machine.id(pc);
        machine.uses_id(id);
        machine.columns(recorder.pack(&[id, states]));
    })
}
