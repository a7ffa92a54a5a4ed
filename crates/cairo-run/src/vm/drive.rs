//! The steps of a run, each within the run's budget.
//!
//! The addresses of an instruction are known before it is executed, and a run that would take more than it may stops
//! before it takes them. The processors of hints count the memory that hints make and write.

use cairo_vm::hint_processor::hint_processor_definition::HintProcessor;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use cairo_vm::vm::vm_core::VirtualMachine;
use num_traits::ToPrimitive;

use super::bounds::{Budget, Exceeded};
use crate::instruction::{Instruction, flag};

/// Hints that count their memory.
pub(super) trait Hints: HintProcessor {
    /// The budget that is left to the run.
    fn budget(&mut self) -> &mut Budget;
}

/// Why steps stop before the end.
pub(super) enum Stop {
    /// cairo-vm refuses.
    Machine(VirtualMachineError),
    /// The run would take more than it may.
    Exceeded(Exceeded),
}

impl From<Exceeded> for Stop {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

impl From<VirtualMachineError> for Stop {
    fn from(error: VirtualMachineError) -> Self {
        Self::Machine(error)
    }
}

/// Runs up to the instruction at `end`, and in a proof that one, too.
pub(super) fn run(
    runner: &mut CairoRunner,
    program: &Program,
    end: Relocatable,
    hints: &mut dyn Hints,
    is_proof: bool,
) -> Result<(), Stop> {
    let stopped = steps(runner, program, end, hints, is_proof);
    // A hint that is refused for its memory fails.
    match (stopped, hints.budget().exceeded()) {
        (Err(Stop::Machine(VirtualMachineError::Hint(_))), Some(exceeded)) => Err(exceeded.into()),
        (stopped, _) => stopped,
    }
}

fn steps(
    runner: &mut CairoRunner,
    program: &Program,
    end: Relocatable,
    hints: &mut dyn Hints,
    is_proof: bool,
) -> Result<(), Stop> {
    hints.budget().program(program.data_len())?;
    hints.budget().see_all(&runner.vm)?;
    let shared = &program.shared_program_data;
    let mut compiled = runner.get_hint_data(&shared.reference_manager, hints)?;
    let mut ranges = shared.hints_collection.hints_ranges.clone();
    let mut instructions = Instructions::default();
    while runner.vm.get_pc() != end {
        hints.budget().step()?;
        runner.vm.step_hint(hints, &mut runner.exec_scopes, &mut compiled, &mut ranges)?;
        instructions.take_operands(&runner.vm, hints.budget())?;
        runner.vm.step_instruction()?;
    }
    if is_proof {
        // The last step of the proof is the instruction at the end.
        instructions.take_operands(&runner.vm, hints.budget())?;
        runner.run_for_steps(1, hints)?;
    }
    hints.budget().see_all(&runner.vm)?;
    Ok(hints.budget().settle()?)
}

/// Instructions of the program that have been decoded.
#[derive(Default)]
struct Instructions(Vec<Option<Instruction>>);

impl Instructions {
    /// Takes the addresses of dst, op0 and op1 of the next instruction, and the addresses that Blake2s writes. Where
    /// there is no address cairo-vm says why.
    fn take_operands(&mut self, vm: &VirtualMachine, budget: &mut Budget) -> Result<(), Exceeded> {
        let (pc, ap, fp) = (vm.get_pc(), vm.get_ap(), vm.get_fp());
        let Some(instruction) = self.at(vm, pc) else {
            return Ok(());
        };
        let [dst, op0, op1] = instruction.offsets;
        let at = |base: Relocatable, offset: i32| (base + offset).ok();
        let register = |is_fp: u16| if instruction.is(is_fp) { fp } else { ap };
        let op0 = at(register(flag::OP0_FP), op0);
        let op1_base = if instruction.is(flag::OP1_IMM) {
            Some(pc)
        } else if instruction.is(flag::OP1_FP) {
            Some(fp)
        } else if instruction.is(flag::OP1_AP) {
            Some(ap)
        } else {
            op0.and_then(|op0| vm.get_relocatable(op0).ok())
        };
        let operands = [at(register(flag::DST_FP), dst), op0, op1_base.and_then(|base| at(base, op1))];
        operands.into_iter().flatten().try_for_each(|address| budget.take(address))?;
        if !instruction.is_blake() {
            return Ok(());
        }
        let last = vm.get_relocatable(ap).ok().and_then(|result| at(result, BLAKE_WORDS - 1));
        last.map_or(Ok(()), |last| budget.take(last))
    }

    /// The instruction in a cell. A cell keeps its value.
    fn at(&mut self, vm: &VirtualMachine, pc: Relocatable) -> Option<Instruction> {
        let decode = || vm.get_integer(pc).ok().and_then(|word| word.to_u128()).map(Instruction::decode);
        if pc.segment_index != 0 {
            return decode();
        }
        if let Some(Some(instruction)) = self.0.get(pc.offset) {
            return Some(*instruction);
        }
        let instruction = decode()?;
        // The cell is there, so there is memory for its record.
        self.0.resize(self.0.len().max(pc.offset + 1), None);
        self.0[pc.offset] = Some(instruction);
        Some(instruction)
    }
}

/// Words of the result of a Blake2s instruction, which stand where `[ap]` points.
const BLAKE_WORDS: i32 = 8;
