//! Pieces of the instructions that have components of their own.

use num_bigint::BigInt;
use rand::Rng;

use super::writer::Writer;
use crate::assembler::{Cell, Instruction, Operand, Value, flag, number};

impl Writer {
    fn operand(&mut self) -> Operand {
        match self.random.random_range(0..3) {
            0 => number(self.felt()),
            _ => Operand::Cell(self.recent()),
        }
    }

    /// A sum or a product of cells, which must be no addresses.
    pub(super) fn arithmetic(&mut self) {
        let times = self.random.random_range(1..6);
        for _ in 0..times {
            let (cell, operand) = (self.recent(), self.operand());
            let sum = self.random.random();
            self.push(if sum { Value::Sum(cell, operand) } else { Value::Product(cell, operand) });
        }
    }

    /// Sums within 29 bits, products of factors within 36, and their neighbours just beyond.
    pub(super) fn small_numbers(&mut self) {
        let near = |random: &mut rand_chacha::ChaCha8Rng, bits: u32| match random.random_range(0..4) {
            0 => (1i64 << bits) - random.random_range(0..3),
            _ => random.random_range(0..1i64 << bits),
        };
        let [a, b] = [0; 2].map(|_| near(&mut self.random, 28));
        let signs = [0; 2].map(|_| if self.random.random() { 1 } else { -1 });
        self.push_known(a * signs[0]);
        self.push(Value::Sum(Cell::Ap(-1), number(b * signs[1])));
        let [c, d] = [0; 2].map(|_| near(&mut self.random, 36));
        self.push_known(c);
        self.push(Value::Product(Cell::Ap(-1), number(d)));
    }

    /// `known = x + y`, of which the machine finds x.
    pub(super) fn difference(&mut self) {
        let (known, other) = (self.recent(), self.operand());
        self.program.add(Instruction::assert(known, Value::Sum(Cell::Ap(0), other)).with(flag::AP_ADD1));
        self.depth += 1;
    }

    /// `known = x * y`, of which the machine finds x.
    pub(super) fn quotient(&mut self) {
        let known = self.recent();
        let by = self.below(250) + 1;
        self.program.add(Instruction::assert(known, Value::Product(Cell::Ap(0), number(by))).with(flag::AP_ADD1));
        self.depth += 1;
    }

    pub(super) fn qm31(&mut self) {
        let [a, b, c] = [0; 3].map(|_| self.packed_qm31());
        self.push_known(a);
        self.push_known(b);
        for _ in 0..self.random.random_range(1..5) {
            let other = if self.random.random() { number(c.clone()) } else { Operand::Cell(Cell::Ap(-2)) };
            let cell = Cell::Ap(-1);
            let value = if self.random.random() { Value::Sum(cell, other) } else { Value::Product(cell, other) };
            self.program.add(Instruction::assert(Cell::Ap(0), value).with(flag::AP_ADD1).extension(3));
            self.depth += 1;
        }
        self.recover();
    }

    pub(super) fn copies(&mut self) {
        for _ in 0..self.random.random_range(1..5) {
            match self.random.random_range(0..3) {
                0 => self.push_number(),
                1 => {
                    let cell = Cell::Fp(self.random.random_range(0..4));
                    self.push(Value::Is(Operand::Cell(cell)));
                }
                _ => {
                    let cell = self.recent();
                    self.push(Value::Is(Operand::Cell(cell)));
                }
            }
        }
    }

    /// Assertions between cells that have values.
    pub(super) fn equal_cells(&mut self) {
        let felt = self.felt();
        self.push_known(felt.clone());
        self.program.add(Instruction::assert(Cell::Ap(-1), Value::Is(number(felt))));
        let last = self.last();
        self.push(Value::Is(Operand::Cell(last)));
        self.program.add(Instruction::assert(last, Value::Is(Operand::Cell(Cell::Ap(-1)))));
    }

    /// Cells that nobody writes, below written cells.
    pub(super) fn holes(&mut self) {
        let most = if self.random.random_bool(0.1) { 1000 } else { 40 };
        let by = self.random.random_range(1..most);
        let value = if self.random.random() {
            Value::Is(number(by))
        } else {
            self.push_known(by);
            Value::Is(Operand::Cell(if self.random.random() { Cell::Ap(-1) } else { self.last() }))
        };
        self.add_ap(value, by);
        self.recover();
    }

    /// `ap` goes up and down again.
    pub(super) fn there_and_back(&mut self) {
        let by = self.random.random_range(1..3000);
        self.add_ap(Value::Is(number(by)), by);
        self.add_ap(Value::Is(number(-by)), -by);
    }

    pub(super) fn jump(&mut self) {
        let (words, next) = (self.random.random_range(0..4), self.random.random());
        let jump = Instruction::new(Value::Is(number(2 + words)), flag::JUMP_REL);
        self.program.add(if next { jump.with(flag::AP_ADD1) } else { jump });
        self.skip(words);
        if next {
            // The cell that was passed gets a value.
            self.depth += 1;
            let felt = self.felt();
            self.program.add(Instruction::assert(Cell::Ap(-1), Value::Is(number(felt))));
        }
    }

    /// Over the next jump, back to it, and on.
    pub(super) fn jump_back(&mut self) {
        let jump = |by: i64| Instruction::new(Value::Is(number(by)), flag::JUMP_REL);
        [4, 4, -2].into_iter().for_each(|by| self.program.add(jump(by)));
    }

    pub(super) fn jump_by_memory(&mut self) {
        let words = self.random.random_range(0..4);
        self.push_known(1 + words);
        let cell = if self.random.random() { Cell::Ap(-1) } else { self.last() };
        self.program.add(Instruction::new(Value::Is(Operand::Cell(cell)), flag::JUMP_REL));
        self.skip(words);
    }

    pub(super) fn jump_if(&mut self) {
        let words = self.random.random_range(0..4);
        match self.random.random_range(0..5) {
            0 | 1 => self.push_known(0),
            2 => self.address(0),
            _ => self.push_number(),
        }
        let jump = Instruction::jump_unless_zero(Cell::Ap(-1), number(2 + words));
        let next = self.random.random();
        self.program.add(if next { jump.with(flag::AP_ADD1) } else { jump });
        self.skip(words);
        if next {
            self.depth += 1;
            self.program.add(Instruction::assert(Cell::Ap(-1), Value::Is(number(words))));
        }
        self.recover();
    }

    /// To an address in a cell, or in a cell that another cell points to.
    pub(super) fn jump_to_address(&mut self) {
        let (words, twice) = (self.random.random_range(0..3), self.random.random());
        // The pointer's call has two words, the jump has one.
        let code = Self::ADDRESS_WORDS + if twice { 3 } else { 1 };
        self.address(self.program.here() + code + words);
        let mut to = Operand::Cell(Cell::Ap(-1));
        if twice {
            let offset = i16::try_from(self.depth - 1).expect("pieces begin below MAX_DEPTH");
            self.call_to(self.library.get_fp, 3);
            to = Operand::Deref(Cell::Ap(-1), offset);
        }
        self.program.add(Instruction::new(Value::Is(to), flag::JUMP));
        self.skip(words);
        self.recover();
    }

    pub(super) fn call(&mut self) {
        self.call_to(self.library.square, 3);
        self.recover();
    }

    pub(super) fn call_address(&mut self) {
        self.address(self.library.square);
        // Its argument is the cell before the frame.
        let address = self.last();
        self.push_number();
        self.program.add(Instruction::call(Operand::Cell(address)));
        self.depth += 3;
        self.recover();
    }

    /// Each level leaves a frame and a number.
    fn recurse(&mut self, levels: i64) {
        self.push_known(levels);
        self.call_to(self.library.recursion, 2 + 3 * levels);
    }

    pub(super) fn recursion(&mut self) {
        let levels = self.random.random_range(0..20);
        self.recurse(levels);
        self.recover();
    }

    /// More rows than any other piece makes; after it cells are not named by `fp` any more.
    pub(super) fn long_recursion(&mut self) {
        let log_levels = self.random.random_range(8..16);
        let levels = self.random.random_range(0..1 << log_levels);
        self.recurse(levels);
    }

    /// Reads through the frame's own address.
    pub(super) fn dereference(&mut self) {
        self.call_to(self.library.get_fp, 3);
        let pointer = self.last();
        for offset in 0..self.random.random_range(1..5) {
            self.push(Value::Is(Operand::Deref(pointer, offset % 4)));
        }
        self.recover();
    }

    pub(super) fn repeat(&mut self) {
        let log_times = self.random.random_range(1..10);
        let times = self.random.random_range(1..1i64 << log_times);
        self.push_number();
        self.push_known(times);
        let start = self.program.here();
        // From x, n to x^2, x^2 + n, n - 1.
        self.push(Value::Product(Cell::Ap(-2), Operand::Cell(Cell::Ap(-2))));
        self.push(Value::Sum(Cell::Ap(-1), Operand::Cell(Cell::Ap(-2))));
        self.push(Value::Sum(Cell::Ap(-3), number(-1)));
        self.depth += 3 * (times - 1);
        let back = BigInt::from(start) - BigInt::from(self.program.here());
        self.program.add(Instruction::jump_unless_zero(Cell::Ap(-1), number(back)));
        self.recover();
    }

    /// Compressions whose outputs are in the cells that follow them.
    pub(super) fn blake(&mut self) {
        for _ in 0..self.random.random_range(1..4) {
            let [state, message] = self.library.blake[self.random.random_range(0..self.library.blake.len())];
            self.address(state);
            let state = self.last();
            self.address(message);
            let message = self.last();
            self.call_to(self.library.get_fp, 3);
            let counter = if self.random.random() { self.random.random::<u32>() } else { 64 };
            self.push_known(counter);
            // The pointer is in [ap] when the instruction runs; its target begins behind it.
            let output = Value::Sum(Cell::Ap(-2), number(self.depth + 1));
            self.program.add(Instruction::assert(Cell::Ap(0), output));
            let extension = self.random.random_range(1..=2);
            let blake = Instruction::new(Value::Is(Operand::Cell(message)), flag::AP_ADD1);
            self.program.add(blake.dst(Cell::Ap(-1)).op0(state).extension(extension));
            self.depth += 1;
            self.add_ap(Value::Is(number(8)), 8);
        }
    }
}
