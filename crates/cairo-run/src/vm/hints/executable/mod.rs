//! The hints of Cairo 1 executables: computations of the prover's side outside of the proof.
//!
//! cairo-lang-casm says which hints there are and with which operands; each family of them is one file here. Nothing in
//! a hint is trusted by the proof, so a wrong hint can only make a run fail.

mod circuit;
mod dict;
mod dispatch;
mod ec;
mod external;
mod felt;
mod integer;
mod operand;
mod squash;
mod text;

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use cairo_lang_casm::hints::{CoreHintBase, ExternalHint, Hint, StarknetHint};
use cairo_vm::Felt252;
use cairo_vm::hint_processor::hint_processor_definition::{HintProcessorLogic, HintReference};
use cairo_vm::serde::deserialize_program::ApTracking;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::vm_errors::VirtualMachineError;
use cairo_vm::vm::runners::cairo_runner::ResourceTracker;
use cairo_vm::vm::vm_core::VirtualMachine;

use crate::vm::bounds::{Bounds, Budget};
use crate::vm::drive::Hints;
use crate::vm::hints::error::custom;
use crate::vm::hints::machine::Machine;
use crate::vm::own::NumberedHints;
use crate::vm::vm_memory::VmMemory;

pub use text::MAX_PRINTED_BYTES;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
pub(in crate::vm) use text::Printed;

/// The hints of one executable, and their state during a run.
pub(in crate::vm) struct CairoHints<'a> {
    hints: Arc<[Hint]>,
    arguments: &'a [Felt252],
    budget: Budget,
    dicts: dict::Dicts,
    squash: squash::Squash,
    arcs: felt::ExcludedArc,
    /// The next free cell of the segment that `AllocConstantSize` hands out, once there is one.
    boxes: Option<Relocatable>,
    /// Points drawn so far.
    points: u64,
    /// The data that the program marked last, and the pc of the instruction that checks whether they are a panic.
    marker: Option<(Relocatable, text::Felts)>,
    printed: text::Printed,
}

impl<'a> CairoHints<'a> {
    /// The processor of an executable's hints, for one run within bounds with these arguments.
    pub(in crate::vm) fn new(hints: Arc<[Hint]>, arguments: &'a [Felt252], bounds: Bounds) -> Self {
        Self {
            hints,
            arguments,
            budget: Budget::new(bounds),
            dicts: dict::Dicts::default(),
            squash: squash::Squash::default(),
            arcs: felt::ExcludedArc::default(),
            boxes: None,
            points: 0,
            marker: None,
            printed: text::Printed::default(),
        }
    }

    /// The data of the panic that stopped a run at an instruction, see [`crate::Failure::panic`].
    /// `None` if the run stopped for another reason.
    pub(in crate::vm) fn panic_at(&self, stopped: Relocatable) -> Option<Vec<String>> {
        let (pc, data) = self.marker.as_ref()?;
        (*pc == stopped).then(|| data.panic())
    }

    /// The text that the program has printed so far.
    pub(in crate::vm) fn take_printed(&mut self) -> String {
        self.printed.take()
    }

    /// Adds the text that the program has printed to the text of programs before it, unless that is long enough.
    pub(in crate::vm) fn hand_printed(&mut self, all: &mut String) {
        if all.len() < MAX_PRINTED_BYTES {
            *all += &self.take_printed();
        }
    }

    fn execute(&mut self, vm: &mut Machine<'_>, hint: &Hint) -> Result<(), HintError> {
        match hint {
            Hint::Core(CoreHintBase::Core(hint)) => self.core(vm, hint),
            Hint::Core(CoreHintBase::Deprecated(hint)) => self.deprecated(vm, hint),
            Hint::External(ExternalHint::WriteRunParam { index, dst }) => {
                external::write_run_param(vm, self.arguments, index, dst)
            }
            Hint::External(ExternalHint::AddMarker { start, end }) => {
                let (start, end) = (operand::pointer(vm, start)?, operand::pointer(vm, end)?);
                vm.work((end - start)?.min(text::MAX_PANIC_FELTS))?;
                self.marker = Some((vm.get_pc(), text::panic_data(vm, start, end)?));
                Ok(())
            }
            Hint::External(ExternalHint::AddRelocationRule { src, dst }) => external::add_relocation_rule(vm, src, dst),
            // A profiler's marker.
            Hint::External(ExternalHint::AddTrace { .. }) => Ok(()),
            Hint::Starknet(StarknetHint::SystemCall { .. }) => Err(custom(
                "it makes a system call of Starknet, which no executable has. Leave system calls out of the program",
            )),
            Hint::Starknet(StarknetHint::Cheatcode { .. }) => Err(custom(
                "it asks an oracle or uses a cheatcode, which only Scarb and its test runner answer. Pass the data as \
                 arguments, or run the program with Scarb and prove its ProverInput",
            )),
        }
    }
}

impl NumberedHints for CairoHints<'_> {
    fn run(&mut self, vm: &mut Machine<'_>, index: usize) -> Result<(), HintError> {
        let hints = Arc::clone(&self.hints);
        self.execute(vm, hints.get(index).ok_or(HintError::WrongHintData)?)
    }
}

impl HintProcessorLogic for CairoHints<'_> {
    fn execute_hint(
        &mut self,
        vm: &mut VirtualMachine,
        _scopes: &mut ExecutionScopes,
        hint_data: &Box<dyn Any>,
    ) -> Result<(), HintError> {
        let index: &usize = hint_data.downcast_ref().ok_or(HintError::WrongHintData)?;
        // Hints cannot count in `self`, which they change.
        let mut budget = std::mem::take(&mut self.budget);
        let done = budget.hint().map_err(HintError::from);
        let done = done.and_then(|()| self.run(&mut VmMemory { vm, budget: &mut budget }, *index));
        self.budget = budget;
        done
    }

    fn compile_hint(
        &self,
        hint_code: &str,
        _ap_tracking: &ApTracking,
        _reference_ids: &HashMap<String, usize>,
        _references: &[HintReference],
        _accessible_scopes: &[String],
        _constants: Arc<HashMap<String, Felt252>>,
    ) -> Result<Box<dyn Any>, VirtualMachineError> {
        let index: usize = hint_code.parse().map_err(|_| VirtualMachineError::CompileHintFail(hint_code.into()))?;
        Ok(Box::new(index))
    }
}

/// The budget counts steps.
impl ResourceTracker for CairoHints<'_> {}

impl Hints for CairoHints<'_> {
    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}
