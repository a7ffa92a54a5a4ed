//! The Cairo machine, once more: it runs a program and knows every cell of its memory, each step, and the program's
//! output.
//!
//! It is written from the definition of the machine and shares no code with cairo-vm, so that tests can hold the two
//! against each other. Programs have no hints. Cells that nobody writes are found as the machine finds them: the one
//! operand of an assertion that is missing, and the outputs of builtins.

mod blake;
mod builtins;
mod instruction;
mod memory;
mod operands;
mod qm31;
mod state;
mod value;

pub use starknet_types_core::felt::Felt;

use self::builtins::CELLS;
use self::instruction::{Instruction, flag};
use self::memory::Memory;
use self::state::{EXECUTION, FIRST_BUILTIN, Machine, PROGRAM, Result};
use self::value::{Address, Value, small};
use crate::assembler::{BUILTINS, Compiled};

/// Builtins that the runner does not know, ecdsa and keccak: their pointers are zero.
const UNKNOWN: [usize; 2] = [3, 6];

/// Cells of zeros behind all segments, which the runner has for the modular builtins, whether they are used or not.
const ZEROS: usize = 4;

/// The offset of `jmp rel 0`, at which a run ends.
const END: u32 = 4;

/// The run of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The values of all cells, of which the first has address 1: the program, the execution, and the builtins'
    /// segments, each of which grows to a power of two of instances, 16 at least, by copies of its last; then four
    /// zeros. A cell that nobody wrote is zero.
    pub memory: Vec<Felt>,
    /// pc, ap and fp before each step, and behind the last one.
    pub trace: Vec<[u32; 3]>,
    /// The program's output.
    pub output: Vec<Felt>,
    /// Instances of each builtin that the program takes, in their order; words of the output.
    pub instances: Vec<usize>,
}

impl Run {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.trace.len() - 1
    }

    /// The first difference from a memory, whose first cell has address 1, each as eight words, the lowest first.
    /// Nothing if it is this one.
    pub fn memory_differs(&self, found: impl IntoIterator<Item = [u32; 8]>) -> Option<String> {
        let mut expected = self.memory.iter();
        for (address, words) in (1..).zip(found) {
            let digits = expected.next().map(|felt| felt.to_le_digits());
            let digits =
                digits.map(|digits| [0, 1, 2, 3, 4, 5, 6, 7].map(|at| (digits[at / 2] >> (32 * (at % 2))) as u32));
            if digits != Some(words) {
                return Some(format!("address {address} has {words:x?}, expected {digits:x?}"));
            }
        }
        let missing = expected.count();
        (missing > 0).then(|| format!("{missing} cells are missing at the end of the memory"))
    }
}

/// Why a program cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Steps before.
    pub step: usize,
    /// The fault.
    pub what: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

impl std::error::Error for Fault {}

/// Runs a program.
///
/// # Errors
/// An instruction that cannot be executed, an assertion that does not hold, more than `max_steps` steps.
pub fn run(program: &Compiled, max_steps: usize) -> std::result::Result<Run, Fault> {
    let mut machine = Machine::new(program).ok_or(Fault { step: 0, what: "the program is too long" })?;
    let mut registers = vec![machine.registers()];
    while machine.pc != (Address { segment: PROGRAM, offset: END }) {
        let step = registers.len() - 1;
        if step == max_steps {
            return Err(Fault { step, what: "it has not ended" });
        }
        machine.step().map_err(|what| Fault { step, what })?;
        registers.push(machine.registers());
    }
    let fault = |what| Fault { step: registers.len() - 1, what };
    machine.complete().map_err(fault)?;
    let cells = |segment: usize| CELLS.get(segment.checked_sub(FIRST_BUILTIN)?).copied()?.map(|(_, cells)| cells);
    let (memory, bases) = machine.memory.relocate(cells).ok_or_else(|| fault("an address beyond all segments"))?;
    let place = |[pc, ap, fp]: [u32; 3]| [bases[PROGRAM] + pc, bases[EXECUTION] + ap, bases[EXECUTION] + fp];
    let length = |builtin: &usize| machine.memory.0[FIRST_BUILTIN + builtin].len();
    let instances = |builtin: &usize| length(builtin) / cells(FIRST_BUILTIN + builtin).unwrap_or(1);
    let output = bases[FIRST_BUILTIN] as usize - 1;
    Ok(Run {
        output: memory[output..][..length(&0)].to_vec(),
        instances: program.builtins.iter().map(instances).collect(),
        trace: registers.into_iter().map(place).collect(),
        memory,
    })
}

impl Machine {
    /// The state before the first step: the frame of a first call, and the pointers of the builtins.
    fn new(program: &Compiled) -> Option<Self> {
        let mut memory = Memory(vec![Vec::new(); FIRST_BUILTIN + BUILTINS.len()]);
        memory.0.push(vec![Some(Value::Felt(Felt::ZERO)); ZEROS]);
        for (offset, word) in (0..).zip(&program.words) {
            memory.set(Address { segment: PROGRAM, offset }, Value::Felt(Felt::from(word)))?;
        }
        let frame = [Value::Address(Address { segment: EXECUTION, offset: 2 }), Value::Felt(Felt::ZERO)];
        let pointer = |builtin: &usize| match UNKNOWN.contains(builtin) {
            true => Value::Felt(Felt::ZERO),
            false => Value::Address(Address { segment: FIRST_BUILTIN + builtin, offset: 0 }),
        };
        for (offset, value) in (0..).zip(frame.into_iter().chain(program.builtins.iter().map(pointer))) {
            memory.set(Address { segment: EXECUTION, offset }, value)?;
        }
        Some(Self { memory, pc: Address { segment: PROGRAM, offset: 0 }, ap: 2, fp: 2 })
    }

    fn registers(&self) -> [u32; 3] {
        [self.pc.offset, self.ap, self.fp]
    }

    fn stack(&self, register: u32, offset: i32) -> Result<Address> {
        Address { segment: EXECUTION, offset: register }.moved(offset).ok_or("an operand is before the stack")
    }

    fn step(&mut self) -> Result<()> {
        let word = self.memory.get(self.pc).and_then(Value::felt).filter(|_| self.pc.segment == PROGRAM);
        let instruction = word.and_then(Instruction::decode).ok_or("there is no instruction")?;
        let operands = self.operands(&instruction)?;
        if instruction.is(flag::ASSERT) && operands.res != Some(operands.dst) {
            return Err("an assertion does not hold");
        }
        if matches!(instruction.extension, 1 | 2) {
            self.blake(&operands, instruction.extension == 2)?;
        }
        let next = self.pc.moved(instruction.size()).ok_or("the program ends")?;
        let by_felt = |value: Option<Value>| value.and_then(Value::felt).ok_or("no number to add to a register");
        let pc = if instruction.is(flag::JUMP) {
            operands.res.and_then(Value::address).ok_or("a jump to no address")?
        } else if instruction.is(flag::JUMP_REL) {
            self.pc.plus(by_felt(operands.res)?).ok_or("a jump out of the program")?
        } else if instruction.is(flag::JNZ) && !operands.dst.is_zero() {
            self.pc.plus(by_felt(Some(operands.op1))?).ok_or("a jump out of the program")?
        } else {
            next
        };
        let ap = if instruction.is(flag::AP_ADD) {
            small(Felt::from(self.ap) + by_felt(operands.res)?).ok_or("ap leaves the stack")?
        } else if instruction.is(flag::AP_ADD1) {
            self.ap + 1
        } else if instruction.is(flag::CALL) {
            self.ap + 2
        } else {
            self.ap
        };
        let fp = if instruction.is(flag::CALL) {
            let is_frame = operands.op0 == Value::Address(next)
                && operands.dst == Value::Address(Address { segment: EXECUTION, offset: self.fp });
            is_frame.then_some(self.ap + 2).ok_or("a call's frame is not free")?
        } else if instruction.is(flag::RET) {
            let frame = operands.dst.address().filter(|address| address.segment == EXECUTION);
            frame.ok_or("a return to no frame")?.offset
        } else {
            self.fp
        };
        (self.pc, self.ap, self.fp) = (pc, ap, fp);
        Ok(())
    }

    /// A compression: the state is at op0, the message at op1, the bytes are dst, and the next state goes to where
    /// `[ap]` points.
    fn blake(&mut self, operands: &operands::Operands, is_last: bool) -> Result<()> {
        let word = |at: Address, index: usize| {
            let cell = at.moved(index as i32).and_then(|at| self.memory.get(at)).and_then(Value::felt);
            cell.and_then(small).ok_or("a word of Blake2s is none")
        };
        let pointer = |value: Value| value.address().ok_or("a pointer of Blake2s is none");
        let (state_at, message_at) = (pointer(operands.op0)?, pointer(operands.op1)?);
        let mut state = [0; 8];
        for (index, value) in state.iter_mut().enumerate() {
            *value = word(state_at, index)?;
        }
        let mut message = [0; 16];
        for (index, value) in message.iter_mut().enumerate() {
            *value = word(message_at, index)?;
        }
        let bytes = operands.dst.felt().and_then(small).ok_or("a number of bytes is none")?;
        let output = self.memory.get(self.stack(self.ap, 0)?).ok_or("Blake2s has no place for its output")?;
        let output = pointer(output)?;
        for (index, value) in (0..).zip(blake::compress(state, message, bytes, is_last)) {
            let at = output.moved(index).ok_or("an output is beyond its segment")?;
            self.memory.set(at, Value::Felt(value.into())).ok_or("a cell of Blake2s has another value")?;
        }
        Ok(())
    }

    /// The instance of a builtin in which a cell is: the builtin, the first cell, and the number of the cell.
    fn instance(at: Address) -> Option<(usize, Address, usize)> {
        let builtin = at.segment.checked_sub(FIRST_BUILTIN)?;
        let (_, cells) = (*CELLS.get(builtin)?)?;
        let cell = at.offset as usize % cells;
        Some((builtin, at.moved(-(cell as i32))?, cell))
    }

    /// The value of a cell that follows from the inputs of its builtin's instance.
    fn deduced(&self, at: Address) -> Option<Value> {
        let (builtin, first, cell) = Self::instance(at)?;
        let (inputs, _) = CELLS[builtin]?;
        let output = cell.checked_sub(inputs)?;
        let input = |index: usize| self.memory.get(first.moved(index as i32)?)?.felt();
        let inputs: Vec<Felt> = (0..inputs).map(input).collect::<Option<_>>()?;
        builtins::outputs(builtin, &inputs)?.get(output).copied().map(Value::Felt)
    }

    /// Writes all outputs that nobody has read, and checks that instances are whole and range-checked numbers in range.
    fn complete(&mut self) -> Result<()> {
        for (builtin, cells) in CELLS.iter().enumerate() {
            let Some((inputs, cells)) = *cells else { continue };
            let segment = FIRST_BUILTIN + builtin;
            for instance in 0..self.memory.0[segment].len().div_ceil(cells) {
                for cell in 0..cells {
                    let at = Address { segment, offset: (instance * cells + cell) as u32 };
                    let value = self.memory.get(at).or_else(|| self.deduced(at));
                    let value = value.ok_or("an instance of a builtin is not whole")?;
                    self.memory.set(at, value).ok_or("a builtin's segment is too long")?;
                    if cells == inputs && cells == 1 {
                        let number = value.felt().ok_or("an address where a number must be")?;
                        builtins::outputs(builtin, &[number]).ok_or("a number is out of range")?;
                    }
                }
            }
        }
        Ok(())
    }
}
