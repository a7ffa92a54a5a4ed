//! Prepared constraint programs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use field::{Field, PrimeField};
use gpu_hal::{
    ConstraintProgram, DeviceProgram, HalError, Instruction, Kind, Operand, Operation, Protocol, Result, Schedule,
};

use crate::device::{KernelDevice, KernelSource};
use crate::encoding::{Encoded, IS_CONSTANT, Sink, in_text, op};
use crate::generate::{self, GROUP_WORDS, Key, LOAD_WORDS, Purpose, Run};
use crate::generated::{Generated, GeneratedKernels};
use crate::kernel_set;
use crate::params::words;

/// A prepared program.
pub struct GpuProgram<P: Protocol, D: KernelDevice> {
    schedule: Schedule<P>,
    /// Kernels generated for it: some for every way in which its outputs are combined.
    kernels: Mutex<HashMap<Key, Arc<Generated<D>>>>,
}

impl<P: Protocol, D: KernelDevice> DeviceProgram<P> for GpuProgram<P, D> {
    fn program(&self) -> &ConstraintProgram<P> {
        self.schedule.program()
    }
}

/// What a run takes of the device's memory.
#[derive(Clone, Copy, Default)]
pub(crate) struct Taken {
    /// Words of what its kernels read of the program.
    pub(crate) read: u64,
    /// Elements that they hand on, for each row.
    pub(crate) handed: u64,
}

impl Taken {
    /// Words of the buffers of a run over so many rows.
    pub(crate) fn words<P: Protocol>(self, rows: u64) -> Vec<u64> {
        let read = Some(self.read).filter(|words| *words > 0);
        read.into_iter().chain(handed_words::<P>(self.handed * rows)).collect()
    }
}

/// Words of the memory in which kernels of one program hand on so many elements, if they do.
pub(crate) fn handed_words<P: Protocol>(elements: u64) -> Option<u64> {
    (elements > 0).then(|| kernel_set::words::<P>(elements))
}

/// What is encoded next.
#[derive(Clone)]
enum Step {
    /// An instruction of the schedule.
    Instruction(usize),
    /// A base value less a uniform, as an output.
    LessUniform(Operand, usize, usize),
}

/// Most words of registers; beyond, the registers of all threads would not fit a device.
const MAX_REGISTERS: u32 = 8192;
/// Most kernels that are generated for one program, about; longer ones are interpreted.
const MOST_KERNELS: u32 = 64;
/// Register files are compiled in powers of two from here on.
const MIN_REGISTERS: u32 = 16;
impl<P: Protocol, D: KernelDevice> GpuProgram<P, D> {
    pub(crate) fn new(program: &ConstraintProgram<P>) -> Result<Self> {
        let schedule = Schedule::new(program);
        let program = Self { schedule, kernels: Mutex::default() };
        program.register_words(Operation::Prepare, 0)?;
        Ok(program)
    }

    /// Whether the device likes to compile kernels of these instructions.
    pub(crate) fn is_generated(&self, device: &D, encoded: &Encoded) -> bool {
        let most = device.generated_operations().saturating_mul(MOST_KERNELS);
        generate::cost(encoded.row_code(), P::DEGREE as u32) <= most
    }

    /// What a run with these sinks and so many tables takes beside tables and result, at most.
    pub(crate) fn taken(
        &self,
        device: &D,
        (accumulators, sinks): (usize, &[Vec<Sink<P::Ext>>]),
        tables: usize,
    ) -> Taken {
        let params = vec![P::Ext::ZERO; self.program().params()];
        // What cannot be encoded is refused where it is run.
        let Ok(encoded) = self.encode(Operation::Prepare, &params, accumulators, sinks) else {
            return Taken::default();
        };
        // With other parameters every accumulator may have a total: a weight of one, and the total.
        let totals = accumulators * (1 + P::DEGREE);
        let (degree, element) = (P::DEGREE as u32, size_of::<P::Base>() as u64);
        let constants = kernel_set::words::<P>((encoded.constants.len() + totals) as u64);
        let beside = constants + (LOAD_WORDS * encoded.loads.len() + GROUP_WORDS * accumulators + 1) as u64;
        if !self.is_generated(device, &encoded) {
            return Taken { read: beside + 2 * (encoded.code.len() + accumulators) as u64, handed: 0 };
        }
        let cut = generate::cut(&encoded, degree, device.generated_operations());
        let reads = cut.pieces.iter().any(|piece| !piece.fits_params(tables, totals, element));
        Taken { read: if reads { beside } else { 0 }, handed: cut.handed.into() }
    }

    /// The kernels generated for these instructions, which go after `source`; new ones are shown to `check` first. `None` if they are
    /// more than the device likes to compile.
    pub(crate) fn generated(
        &self,
        (device, kept): (&D, &GeneratedKernels<D>),
        run: &Run<'_>,
        purpose: Purpose,
        source: impl FnOnce() -> KernelSource,
        check: impl FnOnce(&Generated<D>) -> Result<()>,
    ) -> Result<Option<Arc<Generated<D>>>> {
        if !self.is_generated(device, run.encoded) {
            return Ok(None);
        }
        let key = Key::new(run, purpose);
        let own = self.kernels().get(&key).cloned();
        let known = own.or_else(|| {
            let kept = kept.get(&key)?;
            Some(Arc::clone(self.kernels().entry(key.clone()).or_insert(kept)))
        });
        if let Some(known) = known {
            #[cfg(debug_assertions)]
            assert!(known.has_texts_of(run, purpose), "equal keys of different texts");
            return Ok(Some(known));
        }
        let cut = generate::cut(run.encoded, P::DEGREE as u32, device.generated_operations());
        let made = Arc::new(Generated::build(device, (run, purpose), cut, &source())?);
        check(&made)?;
        let made = kept.insert(key.clone(), made);
        Ok(Some(Arc::clone(self.kernels().entry(key).or_insert(made))))
    }

    fn kernels(&self) -> MutexGuard<'_, HashMap<Key, Arc<Generated<D>>>> {
        // One insertion is one call, so a panic elsewhere leaves the map whole.
        self.kernels.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn register_words(&self, op: Operation, accumulators: usize) -> Result<u32> {
        let ext = u64::from(self.schedule.ext_registers) + accumulators as u64;
        let words = u64::from(self.schedule.base_registers) + ext * P::DEGREE as u64;
        u32::try_from(words).ok().filter(|words| *words <= MAX_REGISTERS).ok_or_else(|| {
            let detail = format!("a program with {words} words of values alive at once; at most {MAX_REGISTERS}");
            HalError::unsupported(op.name(), detail)
        })
    }

    /// None for any output.
    pub(crate) fn no_sinks(&self) -> Vec<Vec<Sink<P::Ext>>> {
        self.program().outputs().iter().map(|_| Vec::new()).collect()
    }

    /// The instructions, with the sinks of every output in place of the outputs.
    pub(crate) fn encode(
        &self,
        op: Operation,
        params: &[P::Ext],
        accumulators: usize,
        sinks: &[Vec<Sink<P::Ext>>],
    ) -> Result<Encoded> {
        let schedule = &self.schedule;
        let degree = P::DEGREE as u32;
        let words_needed = self.register_words(op, accumulators)?;
        let first_accumulator = schedule.base_registers + schedule.ext_registers * degree;
        let uniforms = schedule.constants.len() as u32;
        let constants: Vec<u64> = schedule.constants.iter().map(|constant| constant.as_u64()).collect();
        let mut encoded = Encoded {
            code: Vec::with_capacity(schedule.instructions.len()),
            program_constants: constants.len(),
            in_text: in_text(&constants),
            constants,
            loads: Vec::new(),
            registers: words_needed.next_power_of_two().max(MIN_REGISTERS),
            accumulators: (0..accumulators as u32).map(|a| first_accumulator + a * degree).collect(),
            totals: vec![None; accumulators],
        };
        let uniform_values = schedule.uniforms(params);
        encoded.constants.extend(uniform_values.iter().flat_map(|uniform| words(uniform).collect::<Vec<_>>()));
        // Of every accumulator what is the same on all rows.
        let mut totals = vec![P::Ext::ZERO; accumulators];
        let word = |operand: Operand| match operand {
            Operand::Base(register) => register,
            Operand::Ext(register) => schedule.base_registers + register * degree,
            Operand::Constant(index) => IS_CONSTANT | index,
            Operand::Uniform(index) => IS_CONSTANT | (uniforms + index * degree),
        };
        let is_ext = |operand: Operand| usize::from(operand.kind() == Kind::Ext);
        for step in self.order(sinks) {
            let instruction = match step {
                Step::Instruction(number) => &schedule.instructions[number],
                Step::LessUniform(value, uniform, output) => {
                    for sink in &sinks[output] {
                        let Sink::Accumulate { accumulator, weight } = sink else { continue };
                        let at = IS_CONSTANT | encoded.constants.len() as u32;
                        encoded.constants.extend(words(weight));
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
                                encoded.constants.extend(words(weight));
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
                encoded.constants.extend(words(&total));
                let accumulator = encoded.accumulators[number];
                encoded.code.push([op::MAC[0], accumulator, IS_CONSTANT | at, IS_CONSTANT | (at + 1)]);
            }
        }
        Ok(encoded)
    }

    /// The order in which instructions are encoded: the schedule's, but a weighted sum takes a base value less a uniform as soon as there
    /// is the value. No program keeps a column's element for its boundary then, from the first constraint to the last.
    fn order(&self, sinks: &[Vec<Sink<P::Ext>>]) -> Vec<Step> {
        let instructions = &self.schedule.instructions;
        // The instruction that made what a base register holds, and what comes after each.
        let (mut made, mut after) = (vec![0; self.schedule.base_registers as usize], vec![None; instructions.len()]);
        let mut is_own = vec![true; instructions.len()];
        for (number, instruction) in instructions.iter().enumerate() {
            if let Some((Operand::Base(register), uniform, output)) = self.base_less_uniform(number)
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

    /// If an instruction and the next are a base value less a uniform, such as of a boundary, and an output of that, which nothing
    /// else reads: the value, the uniform, the output. A weighted sum takes the value as an element of the base field then.
    fn base_less_uniform(&self, number: usize) -> Option<(Operand, usize, usize)> {
        let (pair, rest) = self.schedule.instructions.get(number..)?.split_at_checked(2)?;
        let [Instruction::Sub { dst, a, b: Operand::Uniform(uniform) }, Instruction::Output { index, src }] = *pair
        else {
            return None;
        };
        let is_read = || {
            for instruction in rest {
                let (reads, writes) = match *instruction {
                    Instruction::Load { dst, .. } => ([None; 2], Some(dst)),
                    Instruction::Add { dst, a, b }
                    | Instruction::Sub { dst, a, b }
                    | Instruction::Mul { dst, a, b } => ([Some(a), Some(b)], Some(dst)),
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
}

/// Base columns that an element of a column of a group takes, and the first of them.
pub(crate) fn first_base_column<P: Protocol>(program: &ConstraintProgram<P>, group: usize, column: usize) -> usize {
    match program.groups()[group].kind {
        Kind::Base => column,
        Kind::Ext => column * P::DEGREE,
    }
}
