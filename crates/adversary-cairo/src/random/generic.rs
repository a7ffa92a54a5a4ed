//! Instructions that no component but the generic one proves.

use num_bigint::BigInt;
use rand::Rng;

use super::writer::Writer;
use crate::assembler::{Cell, Instruction, Operand, Value, flag, number};

impl Writer {
    /// One of them. The machine runs instructions that no compiler writes; these are some of every kind.
    pub(super) fn generic(&mut self) {
        match self.random.random_range(0..13) {
            0 => self.skip(3),
            1 => self.nothing_and_next(),
            2 => self.jump_by_sum(),
            3 => self.jump_by_product(),
            4 => self.jump_to_sum(),
            5 => self.jump_if_by_memory(),
            6 => self.jump_if_by_memory_of_memory(),
            7 => self.add_sum_to_ap(),
            8 => self.other_unused_operands(),
            9 => self.assert_and_jump(),
            10 => self.assert_and_add_to_ap(),
            11 => self.call_sum(),
            _ => self.odd_return(),
        }
    }

    fn nothing_and_next(&mut self) {
        self.program.add(Instruction::nothing().with(flag::AP_ADD1));
        self.depth += 1;
        let felt = self.felt();
        self.program.add(Instruction::assert(Cell::Ap(-1), Value::Is(number(felt))));
    }

    fn jump_by_sum(&mut self) {
        let (words, part) = (self.random.random_range(0..3), self.random.random_range(-9i64..9));
        self.push_known(part);
        let value = Value::Sum(Cell::Ap(-1), number(2 + words as i64 - part));
        self.program.add(Instruction::new(value, flag::JUMP_REL));
        self.skip(words);
    }

    fn jump_by_product(&mut self) {
        self.push_known(2);
        self.program.add(Instruction::new(Value::Product(Cell::Ap(-1), number(2)), flag::JUMP_REL));
        self.skip(2);
    }

    fn jump_to_sum(&mut self) {
        let part = self.random.random_range(-1000i64..10);
        let target = self.program.here() + Self::ADDRESS_WORDS + 2;
        // An address that is `part` too low; none is below 0.
        self.call_to(self.library.get_pc, 3);
        let base = BigInt::from(target) - BigInt::from(self.program.here());
        self.push(Value::Sum(Cell::Ap(-1), number(base - part)));
        self.program.add(Instruction::new(Value::Sum(Cell::Ap(-1), number(part)), flag::JUMP));
        self.recover();
    }

    fn jump_if_by_memory(&mut self) {
        let condition = if self.random.random() { BigInt::default() } else { self.felt() };
        self.push_known(3);
        self.push_known(condition);
        self.program.add(Instruction::jump_unless_zero(Cell::Ap(-1), Operand::Cell(Cell::Ap(-2))));
        self.skip(2);
    }

    fn jump_if_by_memory_of_memory(&mut self) {
        let condition = if self.random.random() { BigInt::default() } else { self.felt() };
        self.push_known(2);
        let offset = i16::try_from(self.depth - 1).expect("pieces begin below MAX_DEPTH");
        self.call_to(self.library.get_fp, 3);
        let pointer = self.last();
        self.push_known(condition);
        self.program.add(Instruction::jump_unless_zero(Cell::Ap(-1), Operand::Deref(pointer, offset)).op0(pointer));
        self.skip(1);
        self.recover();
    }

    fn add_sum_to_ap(&mut self) {
        let (a, b) = (self.random.random_range(1..20), self.random.random_range(1..20));
        self.push_known(a);
        let (value, by) = match self.random.random() {
            true => (Value::Sum(Cell::Ap(-1), number(b)), a + b),
            false => (Value::Product(Cell::Ap(-1), number(b)), a * b),
        };
        self.add_ap(value, by);
        self.recover();
    }

    /// Instructions with components of their own, except for an operand that they do not use.
    fn other_unused_operands(&mut self) {
        let dst = self.recent();
        let by = self.random.random_range(1..20);
        self.program.add(Instruction::new(Value::Is(number(by)), flag::AP_ADD).dst(dst));
        self.depth += by;
        self.recover();
        let (dst, op0) = (self.recent(), self.recent());
        self.program.add(Instruction::new(Value::Is(number(3)), flag::JUMP_REL).dst(dst).op0(op0));
        self.skip(1);
        self.program.add(Instruction::jump_unless_zero(dst, number(3)).op0(op0));
        self.skip(1);
    }

    fn assert_and_jump(&mut self) {
        self.program.add(Instruction::assert(Cell::Ap(0), Value::Is(number(4))).with(flag::JUMP_REL | flag::AP_ADD1));
        self.depth += 1;
        self.skip(2);
        let sum = Value::Sum(Cell::Ap(-1), number(-1));
        self.program.add(Instruction::assert(Cell::Ap(0), sum).with(flag::JUMP_REL | flag::AP_ADD1));
        self.depth += 1;
        self.skip(1);
    }

    fn assert_and_add_to_ap(&mut self) {
        let by = self.random.random_range(1..20);
        self.program.add(Instruction::assert(Cell::Ap(0), Value::Is(number(by))).with(flag::AP_ADD));
        self.depth += by;
        self.recover();
    }

    /// To the sum of the return address and a number.
    fn call_sum(&mut self) {
        let from = self.program.here() + 2;
        let by = BigInt::from(self.library.square) - BigInt::from(from);
        let call = Instruction::new(Value::Sum(Cell::Ap(1), number(by)), flag::CALL | flag::JUMP);
        self.program.add(call.dst(Cell::Ap(0)));
        self.depth += 3;
        self.recover();
    }

    fn odd_return(&mut self) {
        self.call_to(self.library.odd_return, 3);
        self.recover();
    }
}
