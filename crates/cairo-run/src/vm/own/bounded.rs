//! The hints of a run in our machine, within the bounds of the run.

use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::at::At;
use super::place::pointer;
use crate::BuiltinName;
use crate::machine::{BUILTINS, Hints, Machine, Memory, PROGRAM, Stop, segment_of};
use crate::vm::bounds::{ADDRESS_BYTES, Bounds, Budget, Exceeded, STEP_BYTES};
use crate::vm::hints::machine::Machine as HintMachine;

/// The hints of a program, by their numbers.
pub(in crate::vm) trait NumberedHints {
    /// Runs the hint of this number.
    ///
    /// # Errors
    /// A hint that fails.
    fn run(&mut self, vm: &mut HintMachine<'_>, index: usize) -> Result<(), HintError>;

    /// Runs the hints before an instruction outside of the program.
    ///
    /// # Errors
    /// A hint that fails.
    fn run_outside(&mut self, _vm: &mut HintMachine<'_>) -> Result<(), HintError> {
        Ok(())
    }

    /// Cells outside of the program before whose instructions hints run from now on, each once.
    fn new_places(&mut self) -> Vec<Relocatable> {
        Vec::new()
    }
}

/// The hints and the budget of a run.
pub(super) struct Bounded<'a> {
    budget: Budget,
    bounds: Bounds,
    /// Steps that the budget has counted.
    counted: usize,
    hints: &'a mut dyn NumberedHints,
    at: &'a [Vec<usize>],
}

const TOO_MUCH: Stop = Stop::Fails("it takes more than the run may take");

fn failed(_: HintError) -> Stop {
    Stop::Fails("a hint fails")
}

fn too_much(_: Exceeded) -> Stop {
    TOO_MUCH
}

impl<'a> Bounded<'a> {
    /// The hints of a program, and all of the budget.
    pub(super) fn new(hints: &'a mut dyn NumberedHints, at: &'a [Vec<usize>], bounds: Bounds) -> Self {
        Self { budget: Budget::new(bounds.clone()), bounds, counted: 0, hints, at }
    }

    /// Whether hints run before a word of the program.
    pub(super) fn hinted(&self) -> Vec<bool> {
        self.at.iter().map(|hints| !hints.is_empty()).collect()
    }

    /// Takes the words of a program, and the segments that every run has.
    pub(super) fn begin(&mut self, words: usize) -> Result<(), Stop> {
        self.budget.program(words).map_err(too_much)?;
        // The program, the stack and the zeros beside the builtins'.
        (0..BUILTINS.len() + 3).try_for_each(|_| self.budget.segment(false)).map_err(too_much)
    }

    /// Takes the steps that were made since.
    pub(super) fn count(&mut self, made: usize) -> Result<(), Stop> {
        let new = made - std::mem::replace(&mut self.counted, made);
        self.budget.work(new).map_err(too_much)?;
        self.budget.keep(STEP_BYTES.saturating_mul(new as u64)).map_err(too_much)
    }

    /// Takes the addresses of a run that has ended.
    pub(super) fn settle(&mut self, memory: &Memory) -> Result<(), Stop> {
        let lasting = memory.segments.iter().zip(0..);
        let temporary = memory.temporary.iter().zip((isize::MIN..=-1).rev());
        for (segment, index) in lasting.chain(temporary) {
            if let Some(last) = segment.taken.checked_sub(1) {
                self.budget.take(Relocatable { segment_index: index, offset: last }).map_err(too_much)?;
            }
        }
        self.budget.settle().map_err(too_much)
    }
}

impl Hints for Bounded<'_> {
    fn steps(&mut self, memory: &Memory, made: usize) -> Result<usize, Stop> {
        self.count(made)?;
        let taken = memory.taken();
        let uses = |name| segment_of(name).is_some_and(|segment| memory.segments[segment].taken > 0);
        self.bounds.signs.show(uses(BuiltinName::Pedersen), uses(BuiltinName::EcOp), taken);
        let bytes = ADDRESS_BYTES.saturating_mul(taken as u64).saturating_add(STEP_BYTES.saturating_mul(made as u64));
        let left = self.budget.steps_left();
        let is_within =
            left > 0 && taken <= self.bounds.addresses && self.bounds.memory.is_none_or(|memory| bytes <= memory);
        if is_within { Ok(left) } else { Err(TOO_MUCH) }
    }

    fn run(&mut self, machine: &mut Machine) -> Result<(), Stop> {
        if machine.place().segment != PROGRAM as i64 {
            let mut at = At { machine, budget: &mut self.budget };
            return self.hints.run_outside(&mut at).map_err(failed);
        }
        for (turn, index) in self.at.get(machine.pc).into_iter().flatten().enumerate() {
            // A step may have one; each further one counts as a step.
            if turn > 0 {
                self.budget.work(1).map_err(too_much)?;
            }
            let mut at = At { machine, budget: &mut self.budget };
            self.hints.run(&mut at, *index).map_err(failed)?;
        }
        for at in self.hints.new_places() {
            if at.segment_index == PROGRAM as isize {
                return Err(Stop::Lacks("a task lies in the bootloader itself"));
            }
            machine.add_hinted(pointer(at));
        }
        Ok(())
    }
}
