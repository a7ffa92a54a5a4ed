//! Instances of builtins.

use num_bigint::BigInt;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::library::Batch;
use super::writer::{MAX_DEPTH, Writer};
use crate::assembler::{BUILTINS, Cell, Instruction, Operand, Value, canonical, number};

/// Cells of an instance, in the order of [`BUILTINS`].
pub(super) const CELLS: [usize; BUILTINS.len()] = [1, 3, 1, 0, 5, 7, 0, 6, 1, 7, 7];

impl Writer {
    /// Some instances of one of the builtins that the program takes: one, few, or about as many as the rows of a
    /// component that is then full.
    pub(super) fn builtin(&mut self) {
        let index = *self.builtins.choose(&mut self.random).expect("output is always there");
        let times = match self.random.random_range(0..24) {
            0 => [15, 16, 17, 31, 32, 33][self.random.random_range(0..6)],
            1..4 => self.random.random_range(2..6),
            _ => 1,
        };
        for _ in 0..times {
            if self.depth < MAX_DEPTH {
                self.instances(index);
            }
        }
    }

    fn instances(&mut self, index: usize) {
        match BUILTINS[index] {
            "output" if self.has_output => {
                let felt = self.felt();
                self.instance(index, vec![felt], 0);
            }
            "pedersen" => self.hash(index, 2, 1),
            "poseidon" => self.hash(index, 3, 3),
            "range_check" => self.range_check(index, 128),
            "range_check96" => self.range_check(index, 96),
            "bitwise" => {
                let bits = self.random.random_range(1..=251);
                let inputs = [0; 2].map(|_| self.below(bits));
                self.instance(index, inputs.into(), 3);
            }
            "ec_op" if self.with_ec => self.ec_op(index),
            "add_mod" => self.modular(index, 0),
            "mul_mod" => self.modular(index, 1),
            // No component proves ecdsa and keccak: their pointers are passed on.
            _ => self.copies(),
        }
    }

    fn instance(&mut self, index: usize, inputs: Vec<BigInt>, outputs: usize) {
        self.write_instance(index, inputs.into_iter().map(Operand::Number).collect(), outputs);
    }

    /// The next instance: pushes these values and writes them to its first cells, then reads some of the others.
    fn write_instance(&mut self, index: usize, inputs: Vec<Operand>, outputs: usize) {
        let (cells, instance) = (inputs.len() + outputs, self.used[index]);
        debug_assert_eq!(cells, CELLS[index]);
        self.used[index] += 1;
        let argument = self.argument(index).expect("the program takes it");
        self.push(Value::Sum(argument, number(cells * instance)));
        let (pointer, first) = (self.last(), inputs.len());
        for (cell, value) in inputs.into_iter().enumerate() {
            self.push(Value::Is(value));
            let target = Operand::Deref(pointer, cell as i16);
            self.program.add(Instruction::assert(Cell::Ap(-1), Value::Is(target)));
        }
        let read = self.random.random_range(0..=outputs);
        for cell in first..first + read {
            self.push(Value::Is(Operand::Deref(pointer, cell as i16)));
        }
        self.recover();
    }

    fn range_check(&mut self, index: usize, bits: usize) {
        let value = match self.random.random_range(0..4) {
            0 => BigInt::default(),
            1 => (BigInt::from(1) << bits) - 1,
            _ => {
                let bits = self.random.random_range(1..=bits);
                self.below(bits)
            }
        };
        self.instance(index, vec![value], 0);
    }

    /// Now and then the same inputs again: some components have one row for each different input.
    fn hash(&mut self, index: usize, inputs: usize, outputs: usize) {
        let mut inputs: Vec<BigInt> = (0..inputs).map(|_| canonical(&self.felt()).into()).collect();
        if self.random.random_bool(0.2) {
            inputs.iter_mut().enumerate().for_each(|(at, input)| *input = at.into());
        }
        self.instance(index, inputs, outputs);
    }

    /// `p + m q` for two points and a number.
    fn ec_op(&mut self, index: usize) {
        let mut point = |low: u32, high: u32| crate::curve::multiple(self.random.random_range(low..high));
        let (p, q) = (point(1, 1 << 20), point(1 << 20, 1 << 30));
        let m = self.below(251);
        let inputs = [p.0, p.1, q.0, q.1].map(BigInt::from).into_iter().chain([m]).collect();
        self.instance(index, inputs, 2);
    }

    fn modular(&mut self, index: usize, kind: usize) {
        let batches = self.library.modular[kind].len();
        let Batch { ref modulus, values, offsets, count } =
            self.library.modular[kind][choose(&mut self.random, batches)];
        let modulus = modulus.clone();
        self.address(values);
        let values = self.last();
        for done in 0..count {
            self.address(offsets + 3 * done);
            let offsets = self.last();
            let digits = modulus.clone().map(|digit| number(BigInt::from(digit)));
            let rest = [Operand::Cell(values), Operand::Cell(offsets), number(count - done)];
            self.write_instance(index, digits.into_iter().chain(rest).collect(), 0);
        }
    }
}

fn choose(random: &mut ChaCha8Rng, count: usize) -> usize {
    random.random_range(0..count)
}
