//! Words as instructions.

use starknet_types_core::felt::Felt;

/// Flags by their bit.
pub(super) mod flag {
    pub(crate) const DST_FP: u16 = 1;
    pub(crate) const OP0_FP: u16 = 1 << 1;
    pub(crate) const OP1_IMM: u16 = 1 << 2;
    pub(crate) const OP1_FP: u16 = 1 << 3;
    pub(crate) const OP1_AP: u16 = 1 << 4;
    pub(crate) const RES_ADD: u16 = 1 << 5;
    pub(crate) const RES_MUL: u16 = 1 << 6;
    pub(crate) const JUMP: u16 = 1 << 7;
    pub(crate) const JUMP_REL: u16 = 1 << 8;
    pub(crate) const JNZ: u16 = 1 << 9;
    pub(crate) const AP_ADD: u16 = 1 << 10;
    pub(crate) const AP_ADD1: u16 = 1 << 11;
    pub(crate) const CALL: u16 = 1 << 12;
    pub(crate) const RET: u16 = 1 << 13;
    pub(crate) const ASSERT: u16 = 1 << 14;
}

/// Three offsets of 16 bits, biased by 2^15, fifteen flags, and above them the number of an extension.
#[derive(Clone, Copy)]
pub(super) struct Instruction {
    /// The offsets of dst, op0 and op1.
    pub(super) offsets: [i32; 3],
    flags: u16,
    pub(super) extension: u64,
}

impl Instruction {
    pub(super) fn decode(word: Felt) -> Option<Self> {
        let [low, high, 0, 0] = word.to_le_digits() else { return None };
        let offset = |index: u32| ((low >> (16 * index)) & 0xffff) as i32 - (1 << 15);
        let extension = (low >> 63) | (high << 1);
        (high < 2).then(|| Self { offsets: [0, 1, 2].map(offset), flags: (low >> 48) as u16 & 0x7fff, extension })
    }

    pub(super) fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Words that it takes.
    pub(super) fn size(&self) -> i32 {
        if self.is(flag::OP1_IMM) { 2 } else { 1 }
    }
}
