//! The evaluator of the sums of a program's weighted outputs: its machine code, or the interpreter.

use gpu_hal::GoldilocksStark;
use jit::Workspace;

use super::compiled::Run;
use super::lanes::LaneField;
use super::sums::Interpreted;
use crate::interpreter::Machine;
use crate::loads::Loads;
use crate::simd::Isa;

/// A program with its inputs.
pub(super) enum Evaluator<'a, E: LaneField> {
    Interpreted(Interpreted<'a, E>),
    Compiled(Run, &'a Loads<'a, GoldilocksStark<E>>),
}

/// One thread's memory of an evaluator.
pub(super) enum EvaluatorMemory {
    Interpreted(Machine<u64>),
    Compiled(Workspace),
}

impl<E: LaneField> Evaluator<'_, E> {
    pub(super) fn memory(&self) -> EvaluatorMemory {
        match self {
            Self::Interpreted(program) => EvaluatorMemory::Interpreted(program.machine()),
            Self::Compiled(code, _) => EvaluatorMemory::Compiled(code.workspace()),
        }
    }

    /// The sums of a run: coordinate k of group g is a run at `g * DEGREE + k` runs.
    #[inline(always)]
    pub(super) fn run<I: Isa>(&self, run: usize, memory: &mut EvaluatorMemory, sums: &mut [u64]) {
        match (self, memory) {
            (Self::Interpreted(program), EvaluatorMemory::Interpreted(machine)) => program.run::<I>(run, machine, sums),
            (Self::Compiled(code, loads), EvaluatorMemory::Compiled(workspace)) => {
                code.run(loads, run, workspace, sums);
            }
            _ => unreachable!("the memory is this evaluator's"),
        }
    }
}
