//! The code before the main function: small functions that pieces call, and data that they point to.

use num_bigint::BigUint;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bits::below;
use crate::assembler::{Cell, Instruction, Operand, Program, Value, flag, number};

/// Offsets of functions and data.
pub(super) struct Library {
    /// Pushes the address that it returns to.
    pub(super) get_pc: usize,
    /// Pushes the caller's `fp`.
    pub(super) get_fp: usize,
    /// Pushes the square of the cell before its frame.
    pub(super) square: usize,
    /// The same, and returns by an instruction that no component of its own has.
    pub(super) odd_return: usize,
    /// Counts the cell before its frame down to zero by calling itself.
    pub(super) recursion: usize,
    /// States and messages of Blake2s.
    pub(super) blake: Vec<[usize; 2]>,
    /// Batches of `add_mod` and of `mul_mod`.
    pub(super) modular: [Vec<Batch>; 2],
}

/// Operations with one modulus. Their operands are in the program's data.
pub(super) struct Batch {
    /// Four digits of 96 bits, the lowest first.
    pub(super) modulus: [BigUint; 4],
    /// The digits of a, b and c of each operation.
    pub(super) values: usize,
    /// Where a, b and c of each operation begin, from `values`.
    pub(super) offsets: usize,
    /// Operations.
    pub(super) count: usize,
}

fn push(value: Value) -> Instruction {
    Instruction::assert(Cell::Ap(0), value).with(flag::AP_ADD1)
}

impl Library {
    pub(super) fn new(random: &mut ChaCha8Rng, program: &mut Program) -> Self {
        let cell = |offset: i16| Operand::Cell(Cell::Fp(offset));
        let mut function = |instructions: &[Instruction]| {
            let at = program.here();
            instructions.iter().for_each(|instruction| program.add(instruction.clone()));
            at
        };
        let get_pc = function(&[push(Value::Is(cell(-1))), Instruction::ret()]);
        let get_fp = function(&[push(Value::Is(cell(-2))), Instruction::ret()]);
        let square = push(Value::Product(Cell::Fp(-3), cell(-3)));
        let odd_return = function(&[square.clone(), Instruction::ret().op0(Cell::Ap(-1))]);
        let square = function(&[square, Instruction::ret()]);
        let recursion = function(&[
            Instruction::jump_unless_zero(Cell::Fp(-3), number(3)),
            Instruction::ret(),
            push(Value::Sum(Cell::Fp(-3), number(-1))),
            Instruction::call(number(-5)),
            Instruction::ret(),
        ]);
        let blake = (0..2).map(|_| [8, 16].map(|words| blake_words(random, program, words))).collect();
        let modular = [false, true].map(|is_product| (0..3).map(|_| batch(random, program, is_product)).collect());
        Self { get_pc, get_fp, square, odd_return, recursion, blake, modular }
    }
}

fn blake_words(random: &mut ChaCha8Rng, program: &mut Program, words: usize) -> usize {
    let at = program.here();
    for _ in 0..words {
        program.data(match random.random_range(0..6) {
            0 => 0,
            1 => u32::MAX,
            _ => random.random(),
        });
    }
    at
}

/// `a + b = c` or `a b = c` modulo a random number.
fn batch(random: &mut ChaCha8Rng, program: &mut Program, is_product: bool) -> Batch {
    let bits = random.random_range(1..=384);
    let modulus = below(random, bits) | BigUint::from(1u32);
    let count = random.random_range(1..=3);
    let values = program.here();
    for _ in 0..count {
        let (a, b) = (below(random, 400) % &modulus, below(random, 400) % &modulus);
        let c = if is_product { &a * &b } else { &a + &b } % &modulus;
        [a, b, c].iter().flat_map(digits).for_each(|digit| program.data(digit));
    }
    let offsets = program.here();
    (0..3 * count).for_each(|operand| program.data(4 * operand as u32));
    Batch { modulus: digits(&modulus), values, offsets, count }
}

/// Four digits of 96 bits, the lowest first.
fn digits(value: &BigUint) -> [BigUint; 4] {
    let mask = (BigUint::from(1u32) << 96) - 1u32;
    [0, 1, 2, 3].map(|digit| (value >> (96 * digit)) & &mask)
}
