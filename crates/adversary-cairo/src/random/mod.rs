//! Random programs that run to their end.
//!
//! A program is a row of random pieces. Each piece leaves at least four cells with values below `ap`, and takes no more
//! for granted; so pieces follow one another in any order. Random are the pieces, their values, the builtins that the
//! program takes, and how it ends.

mod bits;
mod builtins;
mod generic;
mod library;
mod opcodes;
mod values;
mod writer;

use rand::Rng;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use self::library::Library;
use self::writer::{MAX_DEPTH, Writer};
use crate::assembler::{BUILTINS, Cell, Compiled, Instruction, Operand, Program, Value, number};

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
