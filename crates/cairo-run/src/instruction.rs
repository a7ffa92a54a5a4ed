//! Instructions, and which component proves which.
//!
//! A word holds three offsets of 16 bits, biased by 2^15, fifteen flags, and the number of an opcode extension above
//! them. The components fix the parts of an instruction that their operation leaves unused (`[fp - 1]` for an operand
//! that is not read), so a few instructions that the virtual machine runs belong to no component.

/// Flags, by their bit.
pub(crate) mod flag {
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
    pub(crate) const ASSERT_EQ: u16 = 1 << 14;
}
use flag::*;

/// The word `ap += imm`, with which every program begins that can be proven.
pub(crate) const AP_ADD_IMM: u128 = 0x0407_8001_7fff_7fff;

/// The source of op1: at most one of the three.
const OP1: u16 = OP1_IMM | OP1_FP | OP1_AP;

/// The operation of an instruction. Where the component depends on values too, the operation stands for both of its
/// components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opcode {
    /// `ret`
    Ret,
    /// `ap += ..`
    AddAp,
    /// `jmp rel imm`
    JumpRelImm,
    /// `jmp rel [..]`
    JumpRel,
    /// `jmp abs [[..]]`
    JumpDoubleDeref,
    /// `jmp abs [..]`
    JumpAbs,
    /// `call rel imm`
    CallRelImm,
    /// `call abs [..]`
    CallAbs,
    /// `jmp rel imm if [..] != 0`
    Jnz,
    /// `[..] = [..]`
    AssertEq,
    /// `[..] = imm`
    AssertEqImm,
    /// `[..] = [[..]]`
    AssertEqDoubleDeref,
    /// `[..] = [..] * ..`
    Mul,
    /// `[..] = [..] + ..`
    Add,
    /// A compression of Blake2s.
    Blake,
    /// A sum or a product of elements of QM31.
    Qm31,
    /// Any other instruction.
    Generic,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Offsets of dst, op0 and op1.
    pub offsets: [i32; 3],
    flags: u16,
    /// 0: none; 1 and 2: Blake2s; 3: QM31.
    pub extension: u128,
}

impl Instruction {
    /// Splits a word.
    pub(crate) fn decode(word: u128) -> Self {
        let offset = |index: u32| ((word >> (16 * index)) & 0xffff) as i32 - (1 << 15);
        Self { offsets: [0, 1, 2].map(offset), flags: (word >> 48) as u16 & 0x7fff, extension: word >> 63 }
    }

    /// Whether a flag is set.
    pub(crate) fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether the Cairo machine has it, given that it has an opcode.
    pub(crate) fn is_valid(&self) -> bool {
        let one_of = |flags: u16| (self.flags & flags).count_ones() <= 1;
        let is_exclusive = one_of(OP1)
            && one_of(RES_ADD | RES_MUL)
            && one_of(JUMP | JUMP_REL | JNZ)
            && one_of(CALL | RET | ASSERT_EQ)
            && one_of(AP_ADD | AP_ADD1);
        let has_result = !self.is(JNZ) || !self.is(RES_ADD | RES_MUL);
        let [off0, off1, off2] = self.offsets;
        let is_call = off0 == 0 && off1 == 1 && !self.is(DST_FP | OP0_FP | AP_ADD | AP_ADD1);
        let is_ret = off0 == -2
            && off2 == -1
            && self.is(DST_FP)
            && self.is(OP1_FP)
            && self.is(JUMP)
            && !self.is(RES_ADD | RES_MUL);
        is_exclusive && has_result && (!self.is(CALL) || is_call) && (!self.is(RET) || is_ret)
    }

    /// Whether it is one of the two instructions of Blake2s.
    pub(crate) fn is_blake(&self) -> bool {
        matches!(self.extension, 1 | 2)
    }

    /// The words that the instruction takes, its immediate included.
    pub(crate) fn size(&self) -> u32 {
        if self.is(OP1_IMM) { 2 } else { 1 }
    }

    /// Whether the flags are `set`, any of `free` aside.
    fn shape(&self, set: u16, free: u16) -> bool {
        self.flags & !free == set
    }

    /// Whether op1 is one of immediate, `[fp + ..]` and `[ap + ..]`, and the offset of an immediate is 1.
    fn op1_is_plain(&self) -> bool {
        (self.flags & OP1).count_ones() == 1 && (!self.is(OP1_IMM) || self.offsets[2] == 1)
    }

    /// The operation, or the pattern that no component proves.
    pub(crate) fn opcode(&self) -> Result<Opcode, &'static str> {
        match self.extension {
            0 => self.plain_opcode(),
            _ if self.is_blake() => {
                let shape = self.shape(0, DST_FP | OP0_FP | OP1_FP | OP1_AP | AP_ADD1);
                if !shape || self.is(OP1_FP) == self.is(OP1_AP) {
                    return Err("a Blake2s instruction with other flags than its own");
                }
                Ok(Opcode::Blake)
            }
            3 => {
                let shape = self.shape(ASSERT_EQ, DST_FP | OP0_FP | OP1 | RES_ADD | RES_MUL | AP_ADD1);
                if !shape || !self.op1_is_plain() || self.is(RES_ADD) == self.is(RES_MUL) {
                    return Err("a QM31 instruction with other flags than its own");
                }
                Ok(Opcode::Qm31)
            }
            _ => Err("an instruction with an unknown opcode extension"),
        }
    }

    fn plain_opcode(&self) -> Result<Opcode, &'static str> {
        let [off0, off1, off2] = self.offsets;
        let assert_eq_free = DST_FP | OP0_FP | OP1 | AP_ADD1;
        if self.offsets == [-2, -1, -1] && self.shape(DST_FP | OP0_FP | OP1_FP | JUMP | RET, 0) {
            Ok(Opcode::Ret)
        } else if off0 == -1 && off1 == -1 && self.shape(DST_FP | OP0_FP | AP_ADD, OP1) {
            self.ok_if(self.op1_is_plain(), Opcode::AddAp, "`ap += [[..]]`")
        } else if off0 == -1 && self.shape(DST_FP, OP0_FP | OP1 | JUMP | JUMP_REL | AP_ADD1) {
            self.jump()
        } else if off0 == 0 && off1 == 1 && self.shape(CALL, OP1 | JUMP | JUMP_REL) {
            self.call()
        } else if off1 == -1 && off2 == 1 && self.shape(OP0_FP | OP1_IMM | JNZ, DST_FP | AP_ADD1) {
            Ok(Opcode::Jnz)
        } else if self.shape(ASSERT_EQ, assert_eq_free) {
            self.assert_eq()
        } else if self.shape(ASSERT_EQ | RES_MUL, assert_eq_free) {
            self.ok_if(self.op1_is_plain(), Opcode::Mul, "a product with `[[..]]`")
        } else if self.shape(ASSERT_EQ | RES_ADD, assert_eq_free) {
            self.ok_if(self.op1_is_plain(), Opcode::Add, "a sum with `[[..]]`")
        } else {
            Ok(Opcode::Generic)
        }
    }

    fn ok_if(&self, condition: bool, opcode: Opcode, pattern: &'static str) -> Result<Opcode, &'static str> {
        if condition { Ok(opcode) } else { Err(pattern) }
    }

    /// Whether op0 is the one that operations without op0 name: `[fp - 1]`.
    fn op0_is_unused(&self) -> bool {
        self.is(OP0_FP) && self.offsets[1] == -1
    }

    fn jump(&self) -> Result<Opcode, &'static str> {
        let (abs, rel) = (self.is(JUMP), self.is(JUMP_REL));
        if !abs && !rel {
            return Err("an instruction that does nothing");
        }
        if abs && rel {
            return Err("a jump that is both absolute and relative");
        }
        if self.is(OP1_IMM) {
            let canonical = rel && self.op1_is_plain() && self.op0_is_unused();
            self.ok_if(
                canonical,
                Opcode::JumpRelImm,
                "`jmp abs imm`, or a jump with another unused operand than [fp - 1]",
            )
        } else if !self.is(OP1_FP) && !self.is(OP1_AP) {
            self.ok_if(abs, Opcode::JumpDoubleDeref, "`jmp rel [[..]]`")
        } else {
            let opcode = if rel { Opcode::JumpRel } else { Opcode::JumpAbs };
            let canonical = self.op1_is_plain() && self.op0_is_unused();
            self.ok_if(canonical, opcode, "a jump with another unused operand than [fp - 1]")
        }
    }

    fn call(&self) -> Result<Opcode, &'static str> {
        match (self.is(JUMP), self.is(JUMP_REL)) {
            (false, true) => {
                let immediate = self.is(OP1_IMM) && self.op1_is_plain();
                self.ok_if(immediate, Opcode::CallRelImm, "`call rel [..]`")
            }
            (true, false) => {
                let direct = !self.is(OP1_IMM) && self.op1_is_plain();
                self.ok_if(direct, Opcode::CallAbs, "`call abs [[..]]` or `call abs imm`")
            }
            _ => Err("a call that does not jump"),
        }
    }

    fn assert_eq(&self) -> Result<Opcode, &'static str> {
        let unused = "an assertion with another unused operand than [fp - 1]";
        if self.flags & OP1 == 0 {
            return Ok(Opcode::AssertEqDoubleDeref);
        }
        let opcode = if self.is(OP1_IMM) { Opcode::AssertEqImm } else { Opcode::AssertEq };
        self.ok_if(self.op1_is_plain() && self.op0_is_unused(), opcode, unused)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

    use cairo_vm::vm::decoding::decoder::decode_instruction;
    use cairo_vm::vm::trace::trace_entry::RelocatedTraceEntry;
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use stwo_cairo_adapter::memory::{MemoryBuilder, MemoryConfig, MemoryEntry};
    use stwo_cairo_adapter::opcodes::StateTransitions;

    use super::*;

    /// The components of an operation.
    fn components(opcode: Opcode) -> &'static [&'static str] {
        match opcode {
            Opcode::Ret => &["ret_opcode"],
            Opcode::AddAp => &["add_ap_opcode"],
            Opcode::JumpRelImm => &["jump_opcode_rel_imm"],
            Opcode::JumpRel => &["jump_opcode_rel"],
            Opcode::JumpDoubleDeref => &["jump_opcode_double_deref"],
            Opcode::JumpAbs => &["jump_opcode_abs"],
            Opcode::CallRelImm => &["call_opcode_rel_imm"],
            Opcode::CallAbs => &["call_opcode_abs"],
            Opcode::Jnz => &["jnz_opcode_taken", "jnz_opcode_non_taken"],
            Opcode::AssertEq => &["assert_eq_opcode"],
            Opcode::AssertEqImm => &["assert_eq_opcode_imm"],
            Opcode::AssertEqDoubleDeref => &["assert_eq_opcode_double_deref"],
            Opcode::Mul => &["mul_opcode", "mul_opcode_small"],
            Opcode::Add => &["add_opcode", "add_opcode_small"],
            Opcode::Blake => &["blake_compress_opcode"],
            Opcode::Qm31 => &["qm_31_add_mul_opcode"],
            Opcode::Generic => &["generic_opcode"],
        }
    }

    /// The list into which the adapter puts a step of `word`, or `None` if it panics. Every cell that the step may read
    /// has a value.
    fn adapter_list(word: u128) -> Option<String> {
        const PC: u64 = 200;
        let entries = (1..400u64).map(|address| {
            let mut value = [address as u32, 0, 0, 0, 0, 0, 0, 0];
            if address == PC {
                value = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| word.checked_shr(32 * i).unwrap_or(0) as u32);
            }
            MemoryEntry { address, value }
        });
        let state = |pc: u64| RelocatedTraceEntry { pc: pc as usize, ap: 100, fp: 60 };
        let memory = MemoryBuilder::from_iter(MemoryConfig::default(), entries);
        let steps = [state(PC), state(PC + 2)];
        let adapted = catch_unwind(AssertUnwindSafe(|| StateTransitions::from_iter(steps.into_iter(), &memory)));
        let counts = adapted.ok()?.casm_states_by_opcode.counts();
        counts.into_iter().find(|(_, count)| *count == 1).map(|(name, _)| name)
    }

    /// Offsets, flags and extension of one instruction for each component.
    const CANONICAL: [([i32; 3], u16, u128); 17] = [
        ([-2, -1, -1], DST_FP | OP0_FP | OP1_FP | JUMP | RET, 0),
        ([-1, -1, 1], DST_FP | OP0_FP | OP1_IMM | AP_ADD, 0),
        ([-1, -1, 1], DST_FP | OP0_FP | OP1_IMM | JUMP_REL, 0),
        ([-1, -1, 5], DST_FP | OP0_FP | OP1_FP | JUMP_REL, 0),
        ([-1, 3, 5], DST_FP | JUMP, 0),
        ([-1, -1, 5], DST_FP | OP0_FP | OP1_AP | JUMP, 0),
        ([0, 1, 1], OP1_IMM | JUMP_REL | CALL, 0),
        ([0, 1, 7], OP1_FP | JUMP | CALL, 0),
        ([9, -1, 1], OP0_FP | OP1_IMM | JNZ, 0),
        ([4, -1, 6], OP0_FP | OP1_AP | ASSERT_EQ, 0),
        ([4, -1, 1], OP0_FP | OP1_IMM | ASSERT_EQ | AP_ADD1, 0),
        ([4, 5, 6], OP0_FP | ASSERT_EQ, 0),
        ([4, 5, 6], OP1_AP | RES_MUL | ASSERT_EQ, 0),
        ([4, 5, 1], OP1_IMM | RES_ADD | ASSERT_EQ, 0),
        ([4, 5, 6], OP1_AP, 1),
        ([4, 5, 6], OP1_FP | RES_ADD | ASSERT_EQ, 3),
        ([4, 5, 6], OP1_FP | RES_ADD, 0),
    ];

    fn encode((offsets, flags, extension): ([i32; 3], u16, u128)) -> u128 {
        let biased = |index: usize| ((offsets[index] + (1 << 15)) as u128) << (16 * index);
        biased(0) | biased(1) | biased(2) | u128::from(flags) << 48 | extension << 63
    }

    /// Instructions near the components' own go where the adapter puts them, and are refused where it panics.
    /// Instructions that the virtual machine does not run are left out.
    #[test]
    fn operations_are_those_of_the_adapter() {
        let hook = take_hook();
        set_hook(Box::new(|_| {}));
        let agree = |word: u128| match (Instruction::decode(word).opcode(), adapter_list(word)) {
            (Ok(opcode), Some(list)) => components(opcode).contains(&list.as_str()),
            (Err(_), None) => true,
            _ => false,
        };
        let disagreed = CANONICAL.iter().find(|instruction| !agree(encode(**instruction)));
        let near = (
            prop::sample::select(&CANONICAL[..]),
            prop::collection::vec(0u32..15, 0..3),
            prop::option::of((0usize..3, -3i32..3)),
            prop::option::weighted(0.1, 0u128..5),
        );
        let mut runner =
            TestRunner::new(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() });
        let result = runner.run(&near, |(mut instruction, flips, offset, extension)| {
            flips.iter().for_each(|bit| instruction.1 ^= 1 << bit);
            if let Some((index, offset)) = offset {
                instruction.0[index] = offset;
            }
            instruction.2 = extension.unwrap_or(instruction.2);
            let word = encode(instruction);
            let decoded = Instruction::decode(word);
            let is_run = decode_instruction(word).is_ok();
            prop_assert!(decoded.opcode().is_err() || decoded.is_valid() == is_run, "{instruction:?}");
            prop_assert!(!is_run || agree(word), "{instruction:?}");
            Ok(())
        });
        set_hook(hook);
        assert_eq!(disagreed, None);
        result.unwrap();
    }
}
