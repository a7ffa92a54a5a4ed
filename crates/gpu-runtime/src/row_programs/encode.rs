//! Row programs in the form that `kernels/row_programs` reads.

use field::PrimeField;
use gpu_hal::RowProgram;
use gpu_hal::ir::FELT_WORDS;
use gpu_hal::ir::lowered::{FeltOp, FieldOp, Form, Instruction, Op, Schedule, ShiftOp, VectorOp};
use ir::text::rows::{Felt, ONE, PRIME_WORDS, Places, Prime};

/// Marks the place of a constant.
const IS_CONSTANT: u32 = 1 << 31;

/// Operations, as in the kernels.
mod op {
    pub(super) const ROW: u32 = 0;
    pub(super) const INPUT: u32 = 1;
    pub(super) const READ: u32 = 2;
    /// The first of the operations on two vectors.
    pub(super) const VECTOR: u32 = 3;
    /// The first of the shifts.
    pub(super) const SHIFT: u32 = 11;
    pub(super) const SELECT: u32 = 14;
    pub(super) const SUM: u32 = 15;
    pub(super) const CONVOLVE: u32 = 16;
    pub(super) const DIGIT: u32 = 17;
    pub(super) const JOIN: u32 = 18;
    pub(super) const INT_ADD: u32 = 19;
    pub(super) const INT_SUB: u32 = 20;
    pub(super) const INT_LT: u32 = 21;
    pub(super) const INT_MUL: u32 = 22;
    pub(super) const INT_DIV_REM: u32 = 23;
    pub(super) const FELT_CHECK: u32 = 24;
    pub(super) const FELT_ADD: u32 = 25;
    pub(super) const FELT_SUB: u32 = 26;
    pub(super) const FELT_MUL: u32 = 27;
    pub(super) const FELT_INV: u32 = 28;
    pub(super) const FIELD_ADD: u32 = 29;
    pub(super) const FIELD_SUB: u32 = 30;
    pub(super) const FIELD_MUL: u32 = 31;
    pub(super) const FIELD_INV: u32 = 32;
    pub(super) const FROM_WORD: u32 = 33;
    pub(super) const TO_WORD: u32 = 34;
    pub(super) const COLUMN: u32 = 35;
    pub(super) const COLUMN_OF_WORD: u32 = 36;
    pub(super) const EMIT: u32 = 37;
    pub(super) const COUNT: u32 = 38;
    pub(super) const ASSERT: u32 = 39;
}

/// A program as the kernels read it.
pub(super) struct Encoded {
    pub(super) code: Vec<u32>,
    pub(super) constants: Vec<u32>,
    /// Where the constants of the prime are.
    pub(super) modulus: u32,
    /// Words of a thread's file, and the first word that only divisions use.
    pub(super) file: u32,
    pub(super) work: u32,
}

/// Registers of a class: constants first.
struct File {
    /// Words of a register.
    words: u32,
    constants: u32,
    first_constant: u32,
    /// The first word that is no constant.
    first: u32,
}

impl File {
    /// The places of a register's words.
    fn places(&self, register: u32) -> impl Iterator<Item = u32> + use<> {
        let first = match register.checked_sub(self.constants) {
            None => IS_CONSTANT | (self.first_constant + self.words * register),
            Some(number) => self.first + self.words * number,
        };
        (0..self.words).map(move |word| first + word)
    }
}

struct Encoder {
    /// The files of words, felts and elements.
    files: [File; 3],
    places: Places,
    /// Where the constants `2^512 mod p` and 1 are, which make Montgomery forms and numbers of them.
    square: u32,
    one: u32,
    out: Encoded,
}

/// The instructions of a program.
pub(super) fn encode<F: PrimeField>(program: &RowProgram<F>, schedule: &Schedule<F>, places: Places) -> Encoded {
    let element_words = size_of::<F>() / size_of::<u32>();
    let mut constants: Vec<u32> = schedule.words.iter().map(|(_, word)| *word).collect();
    let first_felt = constants.len() as u32;
    let prime = program.modulus().map(|modulus| Prime(*modulus));
    if let Some(prime) = &prime {
        constants.extend(schedule.felts.iter().flat_map(|(_, felt)| prime.montgomery(felt)));
    }
    let first_element = constants.len() as u32;
    let halves = |element: &F| [element.as_u64() as u32, (element.as_u64() >> 32) as u32];
    let elements = schedule.elements.iter().flat_map(|(_, element)| halves(element).into_iter().take(element_words));
    constants.extend(elements);
    let modulus = constants.len() as u32;
    if let Some(prime) = &prime {
        constants.extend(prime.words());
        constants.extend(prime.power(2));
        constants.extend(ONE);
    }
    let counts = [schedule.words.len(), schedule.felts.len(), schedule.elements.len()];
    let mut file = 0;
    let files = [(1, 0), (FELT_WORDS, first_felt), (element_words, first_element)];
    let files = std::array::from_fn(|class| {
        let (words, first_constant) = files[class];
        let (words, constants) = (words as u32, counts[class] as u32);
        let first = file;
        file += words * (schedule.registers[class] as u32 - constants);
        File { words, constants, first_constant, first }
    });
    let square = modulus + PRIME_WORDS as u32;
    let one = square + FELT_WORDS as u32;
    let out = Encoded { code: Vec::new(), constants, modulus, file, work: file };
    let mut encoder = Encoder { files, places, square, one, out };
    for instruction in &schedule.instructions {
        encoder.instruction(instruction);
    }
    encoder.out
}

impl Encoder {
    fn push(&mut self, [op, first, second, order]: [u32; 4], results: &[u32], operands: &[u32]) {
        let counts = (results.len() as u32) << 8 | (operands.len() as u32) << 16;
        self.out.code.extend([op | counts, first, second, order]);
        self.out.code.extend(results);
        self.out.code.extend(operands);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let [from, to] = instruction.op.classes().map(|class| &self.files[class as usize]);
        let operands: Vec<u32> = instruction.operands.iter().flat_map(|register| from.places(*register)).collect();
        let results: Vec<u32> = instruction.results.iter().flat_map(|register| to.places(*register)).collect();
        let constant = |first: u32| -> Felt { std::array::from_fn(|word| IS_CONSTANT | (first + word as u32)) };
        let order = instruction.order;
        let [op, first, second] = match &instruction.op {
            Op::FeltFrom => {
                self.push([op::FELT_CHECK, 0, 0, order], &[], &operands);
                let operands = [operands, constant(self.square).to_vec()].concat();
                return self.push([op::FELT_MUL, 0, 0, order], &results, &operands);
            }
            Op::FeltTo => {
                let operands = [operands, constant(self.one).to_vec()].concat();
                return self.push([op::FELT_MUL, 0, 0, order], &results, &operands);
            }
            Op::IntDivRem(first) => {
                // The dividend with a word more, and the divisor.
                self.out.file = self.out.file.max(self.out.work + operands.len() as u32 + 1);
                [op::INT_DIV_REM, *first as u32, 0]
            }
            other => self.arguments(other),
        };
        self.push([op, first, second, order], &results, &operands);
    }

    /// An operation with its arguments.
    fn arguments(&self, op: &Op) -> [u32; 3] {
        let form = |form: Form| match form {
            Form::Small => 0,
            Form::Unsigned => 1,
            Form::Signed => 2,
        };
        match *op {
            Op::Row => [op::ROW, 0, 0],
            Op::Input(k) => [op::INPUT, k, 0],
            Op::Read { table, column } => [op::READ, self.places.table(table), column],
            Op::Vector(vector) => [op::VECTOR + vector_number(vector), 0, 0],
            Op::Shift(ShiftOp::Left, bits) => [op::SHIFT, bits, 0],
            Op::Shift(ShiftOp::Right, bits) => [op::SHIFT + 1, bits, 0],
            Op::Shift(ShiftOp::Signed, bits) => [op::SHIFT + 2, bits, 0],
            Op::Select => [op::SELECT, 0, 0],
            Op::Sum => [op::SUM, 0, 0],
            Op::Convolve(first) => [op::CONVOLVE, first as u32, 0],
            Op::Digit(digit) => [op::DIGIT, digit.shift, digit.mask],
            // Digits of one length one after the other: the first says where all are.
            Op::Join(ref parts) => [op::JOIN, parts[0].shift as u32, parts[0].mask.count_ones()],
            Op::IntAdd => [op::INT_ADD, 0, 0],
            Op::IntSub => [op::INT_SUB, 0, 0],
            Op::IntLt => [op::INT_LT, 0, 0],
            Op::IntMul(first) => [op::INT_MUL, first as u32, 0],
            Op::IntDivRem(first) => [op::INT_DIV_REM, first as u32, 0],
            Op::Felt(FeltOp::Add) => [op::FELT_ADD, 0, 0],
            Op::Felt(FeltOp::Sub) => [op::FELT_SUB, 0, 0],
            Op::Felt(FeltOp::Mul) | Op::FeltFrom | Op::FeltTo => [op::FELT_MUL, 0, 0],
            Op::FeltInv => [op::FELT_INV, 0, 0],
            Op::FromWord(of) => [op::FROM_WORD, form(of), 0],
            Op::ToWord => [op::TO_WORD, 0, 0],
            Op::Field(FieldOp::Add) => [op::FIELD_ADD, 0, 0],
            Op::Field(FieldOp::Sub) => [op::FIELD_SUB, 0, 0],
            Op::Field(FieldOp::Mul) => [op::FIELD_MUL, 0, 0],
            Op::FieldInv => [op::FIELD_INV, 0, 0],
            Op::Column(column) => [op::COLUMN, column as u32, 0],
            Op::ColumnOfWord(column, of) => [op::COLUMN_OF_WORD, column as u32, form(of)],
            Op::Emit { list, site, .. } => [op::EMIT, self.places.list(list), site],
            Op::Count { counter, conditional } => [op::COUNT, self.places.counter(counter), u32::from(conditional)],
            Op::Assert { .. } => [op::ASSERT, 0, 0],
        }
    }
}

fn vector_number(op: VectorOp) -> u32 {
    match op {
        VectorOp::Add => 0,
        VectorOp::Sub => 1,
        VectorOp::Mul => 2,
        VectorOp::And => 3,
        VectorOp::Or => 4,
        VectorOp::Xor => 5,
        VectorOp::Eq => 6,
        VectorOp::Lt => 7,
    }
}
