//! cairo-vm at a hint.

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::runners::builtin_runner::{
    BuiltinRunner, EcOpBuiltinRunner, KeccakBuiltinRunner, SignatureBuiltinRunner,
};
use cairo_vm::vm::vm_core::VirtualMachine;

use super::bases::Bases;
use super::bounds::Budget;
use super::hints::error::custom;
use super::hints::machine::HintContext;
use crate::BuiltinName;
use crate::pie::{Cell, Value};

/// cairo-vm at a hint.
pub(super) struct VmMemory<'a> {
    pub(super) vm: &'a mut VirtualMachine,
    pub(super) budget: &'a mut Budget,
}

impl HintContext for VmMemory<'_> {
    fn get_pc(&self) -> Relocatable {
        self.vm.get_pc()
    }

    fn get_ap(&self) -> Relocatable {
        self.vm.get_ap()
    }

    fn get_fp(&self) -> Relocatable {
        self.vm.get_fp()
    }

    fn get_maybe(&self, address: &Relocatable) -> Option<MaybeRelocatable> {
        self.vm.get_maybe(address)
    }

    fn write(&mut self, address: Relocatable, value: MaybeRelocatable) -> Result<(), HintError> {
        Ok(self.vm.insert_value(address, value)?)
    }

    fn make_segment(&mut self, is_temporary: bool) -> Relocatable {
        if is_temporary { self.vm.add_temporary_segment() } else { self.vm.add_memory_segment() }
    }

    fn move_segment(&mut self, source: Relocatable, target: MaybeRelocatable) -> Result<(), HintError> {
        Ok(self.vm.add_relocation_rule(source, target)?)
    }

    fn write_part(&mut self, cells: &[Cell], bases: &Bases) -> Result<(), HintError> {
        for Cell { address, value } in cells {
            let value = match value {
                Value::Felt(felt) => MaybeRelocatable::Int(*felt),
                Value::Pointer(target) => bases.moved(*target)?,
            };
            self.vm.insert_value(bases.place(*address)?, value)?;
        }
        Ok(())
    }

    fn make_simulated(&mut self, builtin: BuiltinName) -> Result<Relocatable, HintError> {
        let mut runner: BuiltinRunner = match builtin {
            BuiltinName::EcOp => EcOpBuiltinRunner::new(Some(1), false).into(),
            BuiltinName::Keccak => KeccakBuiltinRunner::new(Some(1), false).into(),
            BuiltinName::Ecdsa => SignatureBuiltinRunner::new(Some(1), false).into(),
            _ => return Err(custom(format!("{builtin} is never simulated"))),
        };
        // cairo-vm would look through all of them.
        if self.vm.simulated_builtin_runners.iter().any(|other| other.name() == runner.name()) {
            return Err(custom(format!("{builtin} is simulated already")));
        }
        runner.initialize_segments(&mut self.vm.segments);
        runner.add_validation_rule(&mut self.vm.segments.memory);
        let base = runner.base();
        self.vm.simulated_builtin_runners.push(runner);
        Ok(Relocatable { segment_index: base as isize, offset: 0 })
    }

    fn add_signature(&mut self, key: Relocatable, [r, s]: [Felt252; 2]) -> Result<(), HintError> {
        Ok(self.vm.get_signature_builtin()?.add_signature(key, &(r, s))?)
    }

    fn signature(&self, key: Relocatable) -> Option<[Felt252; 2]> {
        let known = self.vm.simulated_builtin_runners.iter().find_map(|builtin| match builtin {
            BuiltinRunner::Signature(builtin) => Some(builtin.signatures.borrow()),
            _ => None,
        });
        known?.get(&key).map(|known| [known.r, known.s])
    }

    fn budget(&mut self) -> &mut Budget {
        self.budget
    }
}
