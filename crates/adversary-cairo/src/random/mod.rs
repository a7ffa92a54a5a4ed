//! Random programs that run to their end.
//!
//! A program is a row of random pieces. Each piece leaves at least four cells with values below `ap`, and takes no more
//! for granted; so pieces follow one another in any order. Random are the pieces, their values, the builtins that the
//! program takes, and how it ends.

mod builtins;
mod generic;
mod library;
mod opcodes;
mod values;

use num_bigint::BigInt;
use rand::Rng;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use self::library::Library;
use crate::assembler::{BUILTINS, Cell, Compiled, Instruction, Operand, Program, Value, flag, number};

/// Offsets in an instruction have 16 bits; a piece takes less than the difference.
const MAX_DEPTH: i64 = 30_000;

/// The compiled JSON of a random program: [`draw`].
pub fn program(seed: u64, with_ec: bool) -> String {
    draw(seed, with_ec).json()
}

/// A random program. Whether it may have curve operations: not all preprocessed columns allow them.
pub fn draw(seed: u64, with_ec: bool) -> Compiled {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut program = Program::new();
    let library = Library::new(&mut random, &mut program);
    let main = program.here();
    let builtins = builtin_list(&mut random);
    let has_output = random.random_bool(0.8);
    let mut writer =
        Writer { random, program, library, builtins, used: [0; BUILTINS.len()], depth: 0, with_ec, has_output };
    (0..4).for_each(|_| writer.push_number());
    let log_pieces = writer.random.random_range(2..11);
    let pieces = writer.random.random_range(0..1 << log_pieces);
    for _ in 0..pieces {
        if writer.depth < MAX_DEPTH {
            writer.piece();
        }
    }
    writer.finish();
    let Writer { program, builtins, .. } = writer;
    program.finish(main, &builtins)
}

/// All builtins, or output and some others.
fn builtin_list(random: &mut ChaCha8Rng) -> Vec<usize> {
    let all = random.random_bool(0.5);
    let share = random.random_range(0.0..1.0);
    (0..BUILTINS.len()).filter(|&index| index == 0 || all || random.random_bool(share)).collect()
}

struct Writer {
    random: ChaCha8Rng,
    program: Program,
    library: Library,
    /// The builtins that the main function takes, in their order.
    builtins: Vec<usize>,
    /// Instances of each of all builtins so far.
    used: [usize; BUILTINS.len()],
    /// `ap - fp`.
    depth: i64,
    with_ec: bool,
    has_output: bool,
}

/// Leaves at least four cells with values below `ap`.
type Piece = fn(&mut Writer);

const PIECES: &[Piece] = &[
    Writer::arithmetic,
    Writer::arithmetic,
    Writer::small_numbers,
    Writer::difference,
    Writer::quotient,
    Writer::qm31,
    Writer::copies,
    Writer::copies,
    Writer::equal_cells,
    Writer::holes,
    Writer::there_and_back,
    Writer::jump,
    Writer::jump_back,
    Writer::jump_by_memory,
    Writer::jump_if,
    Writer::jump_to_address,
    Writer::call,
    Writer::call_address,
    Writer::recursion,
    Writer::dereference,
    Writer::repeat,
    Writer::blake,
    Writer::generic,
    Writer::generic,
    Writer::builtin,
    Writer::builtin,
    Writer::builtin,
    Writer::builtin,
];

impl Writer {
    fn piece(&mut self) {
        let piece = PIECES.choose(&mut self.random).expect("not empty");
        piece(self);
    }

    /// `[ap] = value, ap += 1`.
    fn push(&mut self, value: Value) {
        self.program.add(Instruction::assert(Cell::Ap(0), value).with(flag::AP_ADD1));
        self.depth += 1;
    }

    fn push_number(&mut self) {
        let felt = self.felt();
        self.push(Value::Is(number(felt)));
    }

    /// Pushes something that is no address.
    fn push_known(&mut self, value: impl Into<BigInt>) {
        self.push(Value::Is(number(value)));
    }

    /// After a piece whose last cells are addresses, or none: four numbers.
    fn recover(&mut self) {
        (0..4).for_each(|_| self.push_number());
    }

    /// One of the last four cells.
    fn recent(&mut self) -> Cell {
        Cell::Ap(-self.random.random_range(1..=4))
    }

    fn add_ap(&mut self, value: Value, by: i64) {
        self.program.add(Instruction::new(value, flag::AP_ADD));
        self.depth += by;
    }

    /// Words that do nothing.
    fn skip(&mut self, words: usize) {
        (0..words).for_each(|_| self.program.add(Instruction::nothing()));
    }

    /// Calls a function that leaves `cells` cells, its frame's two among them.
    fn call_to(&mut self, function: usize, cells: i64) {
        let by = BigInt::from(function) - BigInt::from(self.program.here());
        self.program.add(Instruction::call(number(by)));
        self.depth += cells;
    }

    /// Pushes the address of an offset of the program.
    fn address(&mut self, offset: usize) {
        self.call_to(self.library.get_pc, 3);
        // It returns where it will return to.
        let base = self.program.here();
        self.push(Value::Sum(Cell::Ap(-1), number(BigInt::from(offset) - BigInt::from(base))));
    }

    /// Words that [`Self::address`] takes.
    const ADDRESS_WORDS: usize = 4;

    /// The last cell, by `fp`.
    fn last(&self) -> Cell {
        Cell::Fp(i16::try_from(self.depth - 1).expect("pieces begin below MAX_DEPTH"))
    }

    /// Where the main function finds the pointer of a builtin, if it takes it.
    fn argument(&self, builtin: usize) -> Option<Cell> {
        let at = self.builtins.iter().position(|&index| index == builtin)?;
        Some(Cell::Fp(at as i16 - 2 - self.builtins.len() as i16))
    }

    /// Leaves the final pointers, and returns. Sometimes a long computation comes first, or a cell is written that is
    /// far above them: only without output, which else must follow the execution's memory.
    fn finish(&mut self) {
        if self.random.random_bool(0.1) {
            self.long_recursion();
        }
        for builtin in self.builtins.clone() {
            let argument = self.argument(builtin).expect("it is one of them");
            let cells = builtins::CELLS[builtin] * self.used[builtin];
            self.push(match cells {
                0 => Value::Is(Operand::Cell(argument)),
                _ => Value::Sum(argument, number(cells)),
            });
        }
        if self.used[0] == 0 && self.random.random_bool(0.3) {
            let (above, felt) = (self.random.random_range(0..50), self.felt());
            self.program.add(Instruction::assert(Cell::Ap(above), Value::Is(number(felt))));
        }
        self.program.add(Instruction::ret());
        // Data that nobody reads; it is public all the same.
        for _ in 0..self.random.random_range(0..8) {
            let word = self.below(252);
            self.program.data(word.to_biguint().expect("not negative"));
        }
    }
}
