//! An assembler for the Cairo machine: instructions as data, programs as the compiled JSON that the command line reads.

use std::ops::Range;

use num_bigint::{BigInt, BigUint};
use serde_json::json;

/// All builtins, in the order in which a program's main function gets their pointers.
pub const BUILTINS: [&str; 11] = [
    "output",
    "pedersen",
    "range_check",
    "ecdsa",
    "bitwise",
    "ec_op",
    "keccak",
    "poseidon",
    "range_check96",
    "add_mod",
    "mul_mod",
];

/// The Cairo prime, `2^251 + 17 * 2^192 + 1`.
pub fn prime() -> BigUint {
    (BigUint::from(1u32) << 251) + (BigUint::from(17u32) << 192) + 1u32
}

/// The representative of a number that is at least 0 and below the prime.
pub fn canonical(value: &BigInt) -> BigUint {
    let prime = BigInt::from(prime());
    (((value % &prime) + &prime) % &prime).to_biguint().expect("not negative")
}

/// A memory cell: a register and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// `[ap + offset]`.
    Ap(i16),
    /// `[fp + offset]`.
    Fp(i16),
}

impl Cell {
    fn offset(self) -> i16 {
        match self {
            Self::Ap(offset) | Self::Fp(offset) => offset,
        }
    }
}

/// The operand that is always read.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A cell.
    Cell(Cell),
    /// `[[cell] + offset]`.
    Deref(Cell, i16),
    /// A number, in the word after the instruction.
    Number(BigInt),
}

/// A number as an operand.
pub fn number(value: impl Into<BigInt>) -> Operand {
    Operand::Number(value.into())
}

/// The value that an operation gives.
#[derive(Clone, Debug)]
pub enum Value {
    /// The operand.
    Is(Operand),
    /// The cell plus the operand, which is no `Deref`.
    Sum(Cell, Operand),
    /// The cell times the operand, which is no `Deref`.
    Product(Cell, Operand),
}

/// The bits of an instruction's use of its value; the others follow from its operands.
pub mod flag {
    /// `pc = value`.
    pub const JUMP: u16 = 1 << 7;
    /// `pc += value`.
    pub const JUMP_REL: u16 = 1 << 8;
    /// `pc += operand` unless the destination is zero.
    pub const JNZ: u16 = 1 << 9;
    /// `ap += value`.
    pub const AP_ADD: u16 = 1 << 10;
    /// `ap += 1`.
    pub const AP_ADD1: u16 = 1 << 11;
    /// The frame of a call: `[ap] = fp, [ap + 1] = pc + size, fp = ap = ap + 2`.
    pub const CALL: u16 = 1 << 12;
    /// `fp = destination`.
    pub const RET: u16 = 1 << 13;
    /// `destination = value`.
    pub const ASSERT: u16 = 1 << 14;
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    dst: Cell,
    op0: Cell,
    op1: Operand,
    flags: u16,
    extension: u8,
}

impl Instruction {
    /// With the flags of [`flag`]. The destination, and op0 if the value leaves it free, are `[fp - 1]`, as the machine
    /// asks for where they are not used.
    pub fn new(value: Value, flags: u16) -> Self {
        let (op0, op1, operation) = match value {
            Value::Is(Operand::Deref(cell, offset)) => (cell, Operand::Deref(cell, offset), 0),
            Value::Is(operand) => (Cell::Fp(-1), operand, 0),
            Value::Sum(cell, operand) => (cell, operand, 1 << 5),
            Value::Product(cell, operand) => (cell, operand, 1 << 6),
        };
        Self { dst: Cell::Fp(-1), op0, op1, flags: flags | operation, extension: 0 }
    }

    /// The same with another destination.
    pub fn dst(self, dst: Cell) -> Self {
        Self { dst, ..self }
    }

    /// The same with another op0.
    pub fn op0(self, op0: Cell) -> Self {
        Self { op0, ..self }
    }

    /// The same with more flags.
    pub fn with(self, flags: u16) -> Self {
        Self { flags: self.flags | flags, ..self }
    }

    /// The same with an opcode extension: 1 Blake2s, 2 its last block, 3 QM31.
    pub fn extension(self, extension: u8) -> Self {
        Self { extension, ..self }
    }

    /// `destination = value`.
    pub fn assert(dst: Cell, value: Value) -> Self {
        Self::new(value, flag::ASSERT).dst(dst)
    }

    /// `pc += number` unless the cell is zero.
    pub fn jump_unless_zero(dst: Cell, by: Operand) -> Self {
        Self::new(Value::Is(by), flag::JNZ).dst(dst)
    }

    /// A call by a number, or to the address in a cell.
    pub fn call(to: Operand) -> Self {
        let kind = if matches!(to, Operand::Number(_)) { flag::JUMP_REL } else { flag::JUMP };
        Self::new(Value::Is(to), flag::CALL | kind).dst(Cell::Ap(0)).op0(Cell::Ap(1))
    }

    /// Back to the caller.
    pub fn ret() -> Self {
        Self::new(Value::Is(Operand::Cell(Cell::Fp(-1))), flag::RET | flag::JUMP).dst(Cell::Fp(-2))
    }

    /// Nothing, with a destination that no other instruction has.
    pub fn nothing() -> Self {
        Self::new(Value::Is(Operand::Cell(Cell::Fp(-1))), 0).dst(Cell::Fp(-2))
    }

    /// The instruction, and its number if it has one.
    fn words(&self) -> Vec<BigUint> {
        let (source, offset) = match &self.op1 {
            Operand::Number(_) => (1 << 2, 1),
            Operand::Cell(Cell::Fp(offset)) => (1 << 3, *offset),
            Operand::Cell(Cell::Ap(offset)) => (1 << 4, *offset),
            Operand::Deref(_, offset) => (0, *offset),
        };
        let is_fp = |cell: Cell| u16::from(matches!(cell, Cell::Fp(_)));
        let flags = self.flags | source | is_fp(self.dst) | (is_fp(self.op0) << 1);
        let biased = |offset: i16| u128::from(offset.cast_unsigned() ^ (1 << 15));
        let offsets = biased(self.dst.offset()) | (biased(self.op0.offset()) << 16) | (biased(offset) << 32);
        let word = offsets | (u128::from(flags) << 48) | (u128::from(self.extension) << 63);
        let mut words = vec![word.into()];
        if let Operand::Number(number) = &self.op1 {
            words.push(canonical(number));
        }
        words
    }
}

/// Words of a program, from offset 0 on.
#[derive(Clone, Debug, Default)]
pub struct Program {
    words: Vec<BigUint>,
}

/// Words that come before all others.
const START_WORDS: usize = 6;

impl Program {
    /// A program with room for the start code.
    pub fn new() -> Self {
        Self { words: vec![BigUint::default(); START_WORDS] }
    }

    /// The offset of the next word.
    pub fn here(&self) -> usize {
        self.words.len()
    }

    /// A word of data.
    pub fn data(&mut self, word: impl Into<BigUint>) {
        self.words.push(word.into() % prime());
    }

    /// Adds an instruction.
    pub fn add(&mut self, instruction: Instruction) {
        self.words.extend(instruction.words());
    }

    /// The whole program, with a main function at an offset that takes the builtins of these indices. The start code is
    /// `ap += builtins; call main; jmp rel 0`.
    pub fn finish(mut self, main: usize, builtins: &[usize]) -> Compiled {
        let start = [
            Instruction::new(Value::Is(number(builtins.len())), flag::AP_ADD),
            Instruction::call(number(main - 2)),
            Instruction::new(Value::Is(number(0)), flag::JUMP_REL),
        ];
        let room: Range<usize> = 0..START_WORDS;
        self.words.splice(room, start.iter().flat_map(Instruction::words));
        Compiled { words: self.words, main, builtins: builtins.to_vec() }
    }
}

/// A program that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Its words, below the prime.
    pub words: Vec<BigUint>,
    /// The offset of its main function.
    pub main: usize,
    /// The indices of the builtins that the main function takes, in their order.
    pub builtins: Vec<usize>,
}

impl Compiled {
    /// The compiled JSON.
    pub fn json(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| format!("{word:#x}")).collect();
        let builtins: Vec<&str> = self.builtins.iter().map(|&index| BUILTINS[index]).collect();
        let label = |pc: usize| json!({ "pc": pc, "type": "label" });
        json!({
            "attributes": [],
            "builtins": builtins,
            "compiler_version": "random",
            "data": words,
            "debug_info": null,
            "hints": {},
            "identifiers": {
                "__main__.__start__": label(0),
                "__main__.__end__": label(4),
                "__main__.main": { "decorators": [], "pc": self.main, "type": "function" },
            },
            "main_scope": "__main__",
            "prime": format!("{:#x}", prime()),
            "reference_manager": { "references": [] },
        })
        .to_string()
    }
}
