//! From values to registers.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use field::PrimeField;

use super::instruction::{Instruction, Op};
use super::lower::{Lowered, lower};
use super::schedule::Schedule;
use crate::rows::program::RowProgram;

/// No instruction.
const NEVER: u32 = u32::MAX;

impl<F: PrimeField> RowProgram<F> {
    /// The program for `2^log_height` rows on tables of these heights (log2). It is made once, as long as it is asked
    /// for.
    pub fn schedule(&self, tables: &[u32], log_height: u32) -> Arc<Schedule<F>> {
        self.schedules.get(tables, log_height, || Schedule::new(self, tables, log_height))
    }
}

impl<F: PrimeField> Schedule<F> {
    fn new(program: &RowProgram<F>, tables: &[u32], log_height: u32) -> Self {
        let Lowered { mut instructions, constants, counts } = lower(program, tables, log_height);
        let mut files = drop_dead(&mut instructions, counts).map(File::new);
        let [words, felts, elements] = &mut files;
        let words = words.constants(constants.words);
        let felts = felts.constants(constants.felts);
        let elements = elements.constants(constants.elements);
        for (at, instruction) in instructions.iter_mut().enumerate() {
            let [from, to] = instruction.op.classes().map(|class| class as usize);
            // Results get registers while operands still have theirs, so that no instruction reads its own result.
            instruction.results.iter_mut().for_each(|value| *value = files[to].take(*value));
            instruction.operands.iter_mut().for_each(|value| *value = files[from].read(*value, at as u32));
            files[to].drop_unread();
        }
        let registers = files.map(|file| file.registers as usize);
        Self { instructions, registers, words, felts, elements }
    }
}

/// Removes instructions whose results nothing reads, and such words of vectors. Gives for each value of each class the
/// instruction that reads it last.
fn drop_dead(instructions: &mut Vec<Instruction>, counts: [usize; 3]) -> [Vec<u32>; 3] {
    let mut read = counts.map(|count| vec![false; count]);
    for instruction in instructions.iter_mut().rev() {
        let [from, to] = instruction.op.classes().map(|class| class as usize);
        let live: Vec<bool> = instruction.results.iter().map(|value| read[to][*value as usize]).collect();
        if !instruction.acts && !live.contains(&true) {
            // Marked for the removal below.
            instruction.results = Box::default();
            continue;
        }
        if instruction.op.is_word_by_word() && live.contains(&false) {
            keep_words(instruction, &live);
        }
        instruction.operands.iter().for_each(|value| read[from][*value as usize] = true);
    }
    instructions.retain(|instruction| instruction.acts || !instruction.results.is_empty());
    let mut ends = counts.map(|count| vec![NEVER; count]);
    for (at, instruction) in instructions.iter().enumerate() {
        let from = instruction.op.classes()[0] as usize;
        instruction.operands.iter().for_each(|value| ends[from][*value as usize] = at as u32);
    }
    ends
}

/// Leaves only some words of an operation that goes word by word.
fn keep_words(instruction: &mut Instruction, live: &[bool]) {
    let kept = |values: &[u32]| -> Vec<u32> {
        values.iter().zip(live.iter().cycle()).filter_map(|(value, live)| live.then_some(*value)).collect()
    };
    let first = usize::from(matches!(instruction.op, Op::Select));
    let (condition, words) = instruction.operands.split_at(first);
    instruction.operands = [condition.to_vec(), kept(words)].concat().into();
    instruction.results = kept(&instruction.results).into();
}

/// The registers of a class while they are given out.
struct File {
    /// For each value the instruction that reads it last, until its register is free again.
    ends: Vec<u32>,
    /// For each value its register.
    places: Vec<u32>,
    free: Vec<u32>,
    /// Registers so far.
    registers: u32,
    /// Registers of results that nothing reads.
    unread: Vec<u32>,
}

impl File {
    fn new(ends: Vec<u32>) -> Self {
        Self { places: vec![NEVER; ends.len()], ends, free: Vec::new(), registers: 0, unread: Vec::new() }
    }

    /// Registers for constants that are read, for good.
    fn constants<K>(&mut self, constants: impl IntoIterator<Item = (K, u32)>) -> Vec<(u32, K)> {
        let mut read: Vec<(u32, K)> = constants.into_iter().map(|(constant, value)| (value, constant)).collect();
        read.retain(|(value, _)| self.ends[*value as usize] != NEVER);
        // In the order of their numbers, so that the schedule does not depend on the order of a map.
        read.sort_unstable_by_key(|(value, _)| *value);
        for (value, _) in &mut read {
            let number = *value;
            *value = self.take(number);
            self.ends[number as usize] = NEVER;
        }
        read
    }

    /// A register for a value.
    fn take(&mut self, value: u32) -> u32 {
        let register = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.places[value as usize] = register;
        if self.ends[value as usize] == NEVER {
            self.unread.push(register);
        }
        register
    }

    /// The register of a value that instruction `at` reads, which is free behind it if it is the last one.
    fn read(&mut self, value: u32, at: u32) -> u32 {
        let (register, end) = (self.places[value as usize], &mut self.ends[value as usize]);
        if *end == at {
            // Once, however often the instruction reads it.
            *end = NEVER;
            self.free.push(register);
        }
        register
    }

    /// Results that nothing reads have had their register for one instruction.
    fn drop_unread(&mut self) {
        self.free.append(&mut self.unread);
    }
}
