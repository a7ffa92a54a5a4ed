//! From a schedule to instructions.

use alloc::vec;
use alloc::vec::Vec;

use field::{ExtensionField, Field, PrimeField};

use super::encoded::{Encoded, IS_CONSTANT, Sink, in_text, op};
use field::protocol::Protocol;

use crate::{Instruction, Kind, Operand, Schedule};

/// The next thing to encode.
#[derive(Clone)]
enum Step {
    /// An instruction of the schedule.
    Instruction(usize),
    /// A base value less a uniform, as an output.
    LessUniform(Operand, usize, usize),
}

/// Register files are compiled in powers of two from here on.
const MIN_REGISTERS: u64 = 16;

/// Words of the interpreter's registers for a schedule with this many accumulators.
pub fn register_words<P: Protocol>(schedule: &Schedule<P>, accumulators: usize) -> u64 {
    let ext = u64::from(schedule.ext_registers) + accumulators as u64;
    u64::from(schedule.base_registers) + ext * P::DEGREE as u64
}

/// The coordinates of an element as words.
fn words<P: Protocol>(value: &P::Ext) -> impl Iterator<Item = u64> {
    value.coordinates().iter().map(|coordinate| coordinate.as_u64())
}

/// The instructions of a program with these parameters, and in place of each output its sinks. [`register_words`] are
/// at most 2^30.
pub fn encode<P: Protocol>(
    schedule: &Schedule<P>,
    params: &[P::Ext],
    accumulators: usize,
    sinks: &[Vec<Sink<P::Ext>>],
) -> Encoded {
    let degree = P::DEGREE as u32;
    let first_accumulator = schedule.base_registers + schedule.ext_registers * degree;
    let uniforms = schedule.constants.len() as u32;
    let constants: Vec<u64> = schedule.constants.iter().map(|constant| constant.as_u64()).collect();
    let mut encoded = Encoded {
        code: Vec::with_capacity(schedule.instructions.len()),
        program_constants: constants.len(),
        in_text: in_text(&constants),
        constants,
        loads: Vec::new(),
        registers: register_words(schedule, accumulators).next_power_of_two().max(MIN_REGISTERS),
        accumulators: (0..accumulators as u32).map(|a| first_accumulator + a * degree).collect(),
        totals: vec![None; accumulators],
    };
    let uniform_values = schedule.uniforms(params);
    encoded.constants.extend(uniform_values.iter().flat_map(|uniform| words::<P>(uniform).collect::<Vec<_>>()));
    // The part of every accumulator that is the same on all rows.
    let mut totals = vec![P::Ext::ZERO; accumulators];
    let word = |operand: Operand| match operand {
        Operand::Base(register) => register,
        Operand::Ext(register) => schedule.base_registers + register * degree,
        Operand::Constant(index) => IS_CONSTANT | index,
        Operand::Uniform(index) => IS_CONSTANT | (uniforms + index * degree),
    };
    let is_ext = |operand: Operand| usize::from(operand.kind() == Kind::Ext);
    for step in order(schedule, sinks) {
        let instruction = match step {
            Step::Instruction(number) => &schedule.instructions[number],
            Step::LessUniform(value, uniform, output) => {
                for sink in &sinks[output] {
                    let Sink::Accumulate { accumulator, weight } = sink else { continue };
                    let at = IS_CONSTANT | encoded.constants.len() as u32;
                    encoded.constants.extend(words::<P>(weight));
                    let number = *accumulator as usize;
                    encoded.code.push([op::MAC[0], encoded.accumulators[number], word(value), at]);
                    totals[number] -= *weight * uniform_values[uniform];
                }
                continue;
            }
        };
        // Sums and products with the base operand first are turned round; differences have a form of their own.
        let binary = |ops: [u32; 4], commutes: bool, dst, a, b| {
            let (a, b) = if commutes && is_ext(a) < is_ext(b) { (b, a) } else { (a, b) };
            [ops[2 * is_ext(a) + is_ext(b)], word(dst), word(a), word(b)]
        };
        match *instruction {
            Instruction::Load { dst, group, column, offset } => {
                let op = if is_ext(dst) == 1 { op::LOAD_EXT } else { op::LOAD_BASE };
                encoded.code.push([op, word(dst), encoded.loads.len() as u32, 0]);
                encoded.loads.push((group as usize, column as usize, offset));
            }
            Instruction::Add { dst, a, b } => encoded.code.push(binary(op::ADD, true, dst, a, b)),
            Instruction::Sub { dst, a, b } => encoded.code.push(binary(op::SUB, false, dst, a, b)),
            Instruction::Mul { dst, a, b } => encoded.code.push(binary(op::MUL, true, dst, a, b)),
            Instruction::Neg { dst, a } => encoded.code.push([op::NEG[is_ext(a)], word(dst), word(a), 0]),
            Instruction::Output { index, src } => {
                for sink in &sinks[index as usize] {
                    match sink {
                        Sink::Accumulate { accumulator, weight } => {
                            let at = IS_CONSTANT | encoded.constants.len() as u32;
                            encoded.constants.extend(words::<P>(weight));
                            let accumulator = encoded.accumulators[*accumulator as usize];
                            encoded.code.push([op::MAC[is_ext(src)], accumulator, word(src), at]);
                        }
                        Sink::Store { column } => {
                            encoded.code.push([op::STORE[is_ext(src)], *column, word(src), 0]);
                        }
                        Sink::StoreBase { column } => encoded.code.push([op::STORE[2], *column, word(src), 0]),
                        Sink::HandUp { value } => encoded.code.push([op::STORE[3], *value, word(src), 0]),
                    }
                }
            }
        }
    }
    for (number, total) in totals.into_iter().enumerate() {
        if total != P::Ext::ZERO {
            let at = encoded.constants.len() as u32;
            encoded.totals[number] = Some(at as usize + 1);
            encoded.constants.push(1);
            encoded.constants.extend(words::<P>(&total));
            let accumulator = encoded.accumulators[number];
            encoded.code.push([op::MAC[0], accumulator, IS_CONSTANT | at, IS_CONSTANT | (at + 1)]);
        }
    }
    encoded
}

/// The order in which instructions are encoded: the schedule's, but a weighted sum takes a base value less a uniform as
/// soon as there is the value. No program keeps a column's element for its boundary then, from the first constraint to
/// the last.
fn order<P: Protocol>(schedule: &Schedule<P>, sinks: &[Vec<Sink<P::Ext>>]) -> Vec<Step> {
    let instructions = &schedule.instructions;
    // The instruction that made the content of a base register, and the instruction after each.
    let (mut made, mut after) = (vec![0; schedule.base_registers as usize], vec![None; instructions.len()]);
    let mut is_own = vec![true; instructions.len()];
    for (number, instruction) in instructions.iter().enumerate() {
        if let Some((Operand::Base(register), uniform, output)) = base_less_uniform(instructions, number)
            && sinks[output].iter().all(|sink| matches!(sink, Sink::Accumulate { .. }))
        {
            let moved: &mut Vec<_> = after[made[register as usize]].get_or_insert_default();
            moved.push(Step::LessUniform(Operand::Base(register), uniform, output));
            (is_own[number], is_own[number + 1]) = (false, false);
        }
        if let Instruction::Load { dst, .. }
        | Instruction::Add { dst, .. }
        | Instruction::Sub { dst, .. }
        | Instruction::Mul { dst, .. }
        | Instruction::Neg { dst, .. } = *instruction
            && let Operand::Base(register) = dst
        {
            made[register as usize] = number;
        }
    }
    let mut steps = Vec::with_capacity(instructions.len());
    for (number, (is_own, after)) in is_own.into_iter().zip(after).enumerate() {
        steps.extend(is_own.then_some(Step::Instruction(number)));
        steps.extend(after.into_iter().flatten());
    }
    steps
}

/// If an instruction and the next are a base value less a uniform, such as of a boundary, and an output of that, which
/// nothing else reads: the value, the uniform, the output. A weighted sum takes the value as an element of the base
/// field then.
fn base_less_uniform(instructions: &[Instruction], number: usize) -> Option<(Operand, usize, usize)> {
    let (pair, rest) = instructions.get(number..)?.split_at_checked(2)?;
    let [Instruction::Sub { dst, a, b: Operand::Uniform(uniform) }, Instruction::Output { index, src }] = *pair else {
        return None;
    };
    let is_read = || {
        for instruction in rest {
            let (reads, writes) = match *instruction {
                Instruction::Load { dst, .. } => ([None; 2], Some(dst)),
                Instruction::Add { dst, a, b } | Instruction::Sub { dst, a, b } | Instruction::Mul { dst, a, b } => {
                    ([Some(a), Some(b)], Some(dst))
                }
                Instruction::Neg { dst, a } => ([Some(a), None], Some(dst)),
                Instruction::Output { src, .. } => ([Some(src), None], None),
            };
            if reads.contains(&Some(dst)) {
                return true;
            }
            if writes == Some(dst) {
                return false;
            }
        }
        false
    };
    (a.kind() == Kind::Base && src == dst && !is_read()).then_some((a, uniform as usize, index as usize))
}
