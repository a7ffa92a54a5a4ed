//! Instructions of AVX-512 by iced-x86's encoder.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// An operand of 64-bit lanes: a register, or memory.
#[derive(Clone, Copy)]
pub(super) enum Lanes {
    Register(u8),
    /// 64 bytes.
    Memory(Register, i64),
    /// Eight bytes, the same for all lanes.
    Broadcast(Register, i64),
}

/// Instructions as they are encoded.
pub(super) struct Assembler {
    encoder: Encoder,
    length: u64,
    error: Option<IcedError>,
}

fn zmm(number: u8) -> Register {
    Register::ZMM0 + u32::from(number)
}

impl Assembler {
    pub(super) fn new() -> Self {
        Self { encoder: Encoder::new(64), length: 0, error: None }
    }

    /// Where the next instruction begins.
    pub(super) fn here(&self) -> u64 {
        self.length
    }

    /// The code.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, IcedError> {
        self.error.map_or_else(|| Ok(self.encoder.take_buffer()), Err)
    }

    fn push(&mut self, instruction: &Instruction) {
        match self.encoder.encode(instruction, self.length) {
            Ok(length) => self.length += length as u64,
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }

    fn made(&mut self, instruction: Result<Instruction, IcedError>) {
        match instruction {
            Ok(instruction) => self.push(&instruction),
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }

    /// `d = a op b`, in the lanes of the mask alone if there is one.
    pub(super) fn lanes(&mut self, code: Code, d: u8, a: u8, b: Lanes, mask: Option<Register>) {
        let made = match b {
            Lanes::Register(b) => Instruction::with3(code, zmm(d), zmm(a), zmm(b)),
            Lanes::Memory(base, at) => {
                Instruction::with3(code, zmm(d), zmm(a), MemoryOperand::with_base_displ(base, at))
            }
            Lanes::Broadcast(base, at) => {
                let memory = MemoryOperand::new(base, Register::None, 1, at, 1, true, Register::None);
                Instruction::with3(code, zmm(d), zmm(a), memory)
            }
        };
        let masked = |mut instruction: Instruction| {
            if let Some(mask) = mask {
                instruction.set_op_mask(mask);
            }
            instruction
        };
        self.made(made.map(masked));
    }

    /// `d = op a` with a number.
    pub(super) fn shift(&mut self, code: Code, d: u8, a: u8, by: u32) {
        self.made(Instruction::with3(code, zmm(d), zmm(a), by));
    }

    /// The mask of the lanes in which `a < b`.
    pub(super) fn below(&mut self, mask: Register, a: u8, b: u8) {
        self.made(Instruction::with4(Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8, mask, zmm(a), zmm(b), 1));
    }

    /// `d = op a`, in the lanes of the mask alone if there is one.
    pub(super) fn unary(&mut self, code: Code, d: u8, a: u8, mask: Option<Register>) {
        let masked = |mut instruction: Instruction| {
            if let Some(mask) = mask {
                instruction.set_op_mask(mask);
            }
            instruction
        };
        self.made(Instruction::with2(code, zmm(d), zmm(a)).map(masked));
    }

    /// `d` from 64 bytes, or from eight, the same for all lanes.
    pub(super) fn load(&mut self, d: u8, from: Lanes) {
        let made = match from {
            Lanes::Register(a) => Instruction::with2(Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512, zmm(d), zmm(a)),
            Lanes::Memory(base, at) => {
                let memory = MemoryOperand::with_base_displ(base, at);
                Instruction::with2(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, zmm(d), memory)
            }
            Lanes::Broadcast(base, at) => {
                let memory = MemoryOperand::with_base_displ(base, at);
                Instruction::with2(Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, zmm(d), memory)
            }
        };
        self.made(made);
    }

    /// 64 bytes from `a`.
    pub(super) fn store(&mut self, a: u8, base: Register, at: i64) {
        let memory = MemoryOperand::with_base_displ(base, at);
        self.made(Instruction::with2(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, memory, zmm(a)));
    }

    /// Every lane of `d` is `value`; takes `rax`.
    pub(super) fn splat(&mut self, d: u8, value: u64) {
        self.made(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, value));
        self.made(Instruction::with2(Code::EVEX_Vpbroadcastq_zmm_k1z_r64, zmm(d), Register::RAX));
    }

    /// A mask of 16 bits; takes `rax`.
    pub(super) fn mask(&mut self, mask: Register, value: u32) {
        self.number(Register::EAX, value);
        self.made(Instruction::with2(Code::VEX_Kmovw_kr_r32, mask, Register::EAX));
    }

    /// A register of 32 bits is `value`.
    pub(super) fn number(&mut self, register: Register, value: u32) {
        self.made(Instruction::with2(Code::Mov_r32_imm32, register, value));
    }

    /// Adds to a register of 64 bits.
    pub(super) fn advance(&mut self, register: Register, by: i32) {
        self.made(Instruction::with2(Code::Add_rm64_imm32, register, by));
    }

    /// Counts a register of 32 bits down, and goes back unless it is zero.
    pub(super) fn repeat(&mut self, register: Register, start: u64) {
        self.made(Instruction::with1(Code::Dec_rm32, register));
        self.made(Instruction::with_branch(Code::Jne_rel32_64, start));
    }

    /// Returns.
    pub(super) fn ret(&mut self) {
        self.push(&Instruction::with(Code::VEX_Vzeroupper));
        self.push(&Instruction::with(Code::Retnq));
    }
}
