//! Instructions as the loop over steps takes them: decoded once, when they are executed first.

use super::cell::Cell;
use super::stop::{NO_COMPONENT, Stop};
use crate::Opcode;
use crate::instruction::{Instruction, flag};

/// The work of a step, as far as the loop does it without help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// It was not executed yet.
    #[default]
    Undecoded,
    AssertEq,
    Add,
    Mul,
    Jnz,
    /// `jmp rel imm`
    Jump,
    /// `ap += ..`
    AddAp,
    /// `call rel imm`
    Call,
    Ret,
    /// Anything else.
    Other,
}

/// Where the second operand is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    /// On the stack.
    #[default]
    Stack,
    /// Behind the instruction.
    Immediate,
    /// Where the first operand points.
    Pointer,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decoded {
    pub(super) kind: Kind,
    pub(super) source: Source,
    /// Whether the three operands are found by `fp`, not by `ap`. The third is the second unless it is on the stack.
    pub(super) is_fp: [bool; 3],
    /// Offsets from these registers.
    pub(super) offsets: [i16; 3],
    /// The offset of the third operand from where the first one points.
    pub(super) behind: i16,
    /// Words of the instruction.
    pub(super) size: u8,
    /// Whether `ap` goes one on.
    pub(super) advances: bool,
    /// Whether hints run before it.
    pub(super) has_hints: bool,
    /// The index of its list of states, see [`list`].
    pub(super) list: u8,
}

/// The index of the list of an opcode's component.
pub(super) fn list(opcode: Opcode, variant: bool) -> usize {
    2 * opcode as usize + usize::from(variant)
}

/// Lists of states, as [`list`] counts them.
pub(super) const LISTS: usize = 2 * (Opcode::Generic as usize + 1);

/// The instruction of a word.
pub(super) fn instruction(word: Cell) -> Result<Instruction, Stop> {
    match word.to_limbs() {
        Some([low, high, 0, 0]) => Ok(Instruction::decode(u128::from(low) | u128::from(high) << 64)),
        _ => Err(Stop::Fails("a word is no instruction")),
    }
}

impl Decoded {
    /// Decodes a word.
    pub(super) fn new(word: Cell, has_hints: bool) -> Result<Self, Stop> {
        let instruction = instruction(word)?;
        let opcode = instruction.opcode().map_err(|_| NO_COMPONENT)?;
        if !instruction.is_valid() {
            return Err(Stop::Fails("the flags of an instruction exclude each other"));
        }
        let is = |flag| instruction.is(flag);
        let source = if is(flag::OP1_IMM) {
            Source::Immediate
        } else if is(flag::OP1_FP) || is(flag::OP1_AP) {
            Source::Stack
        } else {
            Source::Pointer
        };
        let kind = match opcode {
            Opcode::AssertEq | Opcode::AssertEqImm | Opcode::AssertEqDoubleDeref => Kind::AssertEq,
            Opcode::Add => Kind::Add,
            Opcode::Mul => Kind::Mul,
            Opcode::Jnz => Kind::Jnz,
            Opcode::JumpRelImm => Kind::Jump,
            Opcode::AddAp => Kind::AddAp,
            Opcode::CallRelImm => Kind::Call,
            Opcode::Ret => Kind::Ret,
            _ => Kind::Other,
        };
        let [dst, op0, op1] = instruction.offsets.map(|offset| offset as i16);
        let is_on_stack = source == Source::Stack;
        Ok(Self {
            kind,
            source,
            is_fp: [is(flag::DST_FP), is(flag::OP0_FP), is(if is_on_stack { flag::OP1_FP } else { flag::OP0_FP })],
            offsets: [dst, op0, if is_on_stack { op1 } else { op0 }],
            behind: op1,
            size: instruction.size() as u8,
            advances: is(flag::AP_ADD1),
            has_hints,
            list: list(opcode, false) as u8,
        })
    }
}
