//! A bound on the addresses that a run takes.
//!
//! cairo-vm lets a segment grow to any offset that is written, so that one instruction of a program of a few words could
//! ask for all of the host's memory. Here the addresses of an instruction are known before it is executed, and a run whose
//! segments would have more cells together than it may stops before it takes them. A pointer that an instruction computes
//! counts like a cell where it points to: a hint may write there, and no hint is asked what it will write.

use cairo_vm::hint_processor::hint_processor_definition::HintProcessor;
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::runners::cairo_runner::CairoRunner;
use cairo_vm::vm::vm_core::VirtualMachine;
use num_traits::ToPrimitive;

use super::instruction::{Instruction, flag};

/// Why steps stop before the end.
pub(super) enum Stop {
    /// cairo-vm refuses.
    Machine(VirtualMachineError),
    /// The addresses would be too many with this one.
    Addresses(Relocatable),
}

impl From<VirtualMachineError> for Stop {
    fn from(error: VirtualMachineError) -> Self {
        Self::Machine(error)
    }
}

/// How far the segments of a run reach.
#[derive(Debug)]
pub(super) struct Extent {
    /// The end of each segment, and of each temporary one.
    ends: [Vec<usize>; 2],
    /// Cells that are left.
    left: usize,
    /// Instructions of the program that have been decoded.
    decoded: Vec<Option<Instruction>>,
}

impl Extent {
    /// No segment yet, and `most` cells that all may have together.
    pub(super) fn new(most: usize) -> Self {
        Self { ends: [Vec::new(), Vec::new()], left: most, decoded: Vec::new() }
    }

    /// Runs up to the instruction at `end`, and that one, too.
    pub(super) fn run(
        &mut self,
        runner: &mut CairoRunner,
        program: &Program,
        end: Relocatable,
        hints: &mut dyn HintProcessor,
    ) -> Result<(), Stop> {
        let shared = &program.shared_program_data;
        let mut compiled = runner.get_hint_data(&shared.reference_manager, hints)?;
        let mut ranges = shared.hints_collection.hints_ranges.clone();
        while runner.vm.get_pc() != end {
            if hints.consumed() {
                return Err(VirtualMachineError::UnfinishedExecution.into());
            }
            // Hints write at the registers.
            self.take(runner.vm.get_ap()).and_then(|()| self.take(runner.vm.get_fp())).map_err(Stop::Addresses)?;
            runner.vm.step_hint(hints, &mut runner.exec_scopes, &mut compiled, &mut ranges)?;
            let pc = runner.vm.get_pc();
            let operands = self.before(&runner.vm).map_err(Stop::Addresses)?;
            runner.vm.step_instruction()?;
            self.after(&runner.vm, operands).map_err(|address| {
                // The step that did it, as errors of cairo-vm have it.
                runner.vm.set_pc(pc);
                Stop::Addresses(address)
            })?;
            hints.consume_step();
        }
        // The last step of the proof is the instruction at the end.
        self.before(&runner.vm).map_err(Stop::Addresses)?;
        Ok(runner.run_for_steps(1, hints)?)
    }

    /// Takes the addresses of dst, op0 and op1 of the next instruction; those of a sum, which may leave a new pointer there.
    /// Where there is no address cairo-vm says why.
    fn before(&mut self, vm: &VirtualMachine) -> Result<[Option<Relocatable>; 3], Relocatable> {
        let (pc, ap, fp) = (vm.get_pc(), vm.get_ap(), vm.get_fp());
        let Some(instruction) = self.instruction(vm, pc) else {
            return Ok([None; 3]);
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
        operands.iter().flatten().try_for_each(|address| self.take(*address))?;
        Ok(if instruction.is(flag::RES_ADD) { operands } else { [None; 3] })
    }

    /// The instruction in a cell. A cell keeps its value.
    fn instruction(&mut self, vm: &VirtualMachine, pc: Relocatable) -> Option<Instruction> {
        let decode = || vm.get_integer(pc).ok().and_then(|word| word.to_u128()).map(Instruction::decode);
        if pc.segment_index != 0 {
            return decode();
        }
        if let Some(Some(instruction)) = self.decoded.get(pc.offset) {
            return Some(*instruction);
        }
        let instruction = decode()?;
        // The cell is there, so there is memory for what is known of it.
        self.decoded.resize(self.decoded.len().max(pc.offset + 1), None);
        self.decoded[pc.offset] = Some(instruction);
        Some(instruction)
    }

    /// Takes the pointers in these cells.
    fn after(&mut self, vm: &VirtualMachine, operands: [Option<Relocatable>; 3]) -> Result<(), Relocatable> {
        operands.iter().flatten().try_for_each(|address| match vm.get_maybe(address) {
            Some(MaybeRelocatable::RelocatableValue(pointer)) => self.take(pointer),
            _ => Ok(()),
        })
    }

    /// Takes the cells of a segment up to an address; the address, if they are too many.
    fn take(&mut self, address: Relocatable) -> Result<(), Relocatable> {
        // Temporary segments count down from -1.
        let (kind, index) = match usize::try_from(address.segment_index) {
            Ok(index) => (0, index),
            Err(_) => (1, address.segment_index.unsigned_abs() - 1),
        };
        let ends = &mut self.ends[kind];
        if index >= ends.len() {
            ends.resize(index + 1, 0);
        }
        let more = address.offset.saturating_add(1).saturating_sub(ends[index]);
        self.left = self.left.checked_sub(more).ok_or(address)?;
        ends[index] += more;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_count_once_and_in_all_segments() {
        let mut extent = Extent::new(10);
        let mut take = |segment: isize, offset| extent.take((segment, offset).into()).is_ok();
        assert!(take(0, 3) && take(0, 3) && take(0, 0), "four cells, once");
        assert!(take(-1, 2) && take(2, 2), "three of a temporary segment, three of another");
        assert!(!take(1, 0) && !take(2, 3) && !take(-2, usize::MAX), "none is left");
        assert!(take(2, 2) && take(-1, 0), "these are taken already");
    }
}
