//! The part of a run that a hint of the library sees.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_utils::{
    get_integer_from_var_name, get_ptr_from_var_name, get_relocatable_from_var_name, insert_value_from_var_name,
    insert_value_into_ap,
};
use cairo_vm::hint_processor::hint_processor_definition::HintReference;
use cairo_vm::serde::deserialize_program::ApTracking;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::vm::hints::custom;

/// Work that all hints of a run may do together: as many turns of their loops as the run may have steps.
pub(in crate::vm) struct Budget {
    most: usize,
    left: AtomicUsize,
}

impl Budget {
    pub(in crate::vm) fn new(most: usize) -> Self {
        Self { most, left: AtomicUsize::new(most) }
    }

    /// Takes this many turns.
    pub(in crate::vm) fn take(&self, turns: usize) -> Result<(), HintError> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(turns));
        taken.map(drop).map_err(|_| {
            custom(format!("the loops of hints take more than {} turns. If they do end, allow more steps", self.most))
        })
    }
}

/// A hint at work.
pub(in crate::vm) struct Context<'a> {
    pub(in crate::vm) vm: &'a mut VirtualMachine,
    pub(in crate::vm) scopes: &'a mut ExecutionScopes,
    pub(in crate::vm) ids: &'a HashMap<String, HintReference>,
    pub(in crate::vm) tracking: &'a ApTracking,
    pub(in crate::vm) constants: &'a HashMap<String, Felt252>,
    pub(in crate::vm) budget: &'a Budget,
}

impl Context<'_> {
    /// Takes this many turns of a loop from the run's.
    pub(in crate::vm) fn work(&self, turns: usize) -> Result<(), HintError> {
        self.budget.take(turns)
    }

    /// The number `ids.NAME`.
    pub(in crate::vm) fn felt(&self, name: &str) -> Result<Felt252, HintError> {
        get_integer_from_var_name(name, self.vm, self.ids, self.tracking)
    }

    /// The number `ids.NAME`, from 0 to the prime.
    pub(in crate::vm) fn integer(&self, name: &str) -> Result<BigUint, HintError> {
        Ok(self.felt(name)?.to_biguint())
    }

    /// The number `ids.NAME`, which counts something.
    pub(in crate::vm) fn count(&self, name: &str) -> Result<usize, HintError> {
        let felt = self.felt(name)?;
        felt.to_usize().ok_or_else(|| custom(format!("`{name}` is {felt}, which is too large")))
    }

    /// The pointer `ids.NAME`.
    pub(in crate::vm) fn pointer(&self, name: &str) -> Result<Relocatable, HintError> {
        get_ptr_from_var_name(name, self.vm, self.ids, self.tracking)
    }

    /// Where the structure `ids.NAME` begins.
    pub(in crate::vm) fn address(&self, name: &str) -> Result<Relocatable, HintError> {
        get_relocatable_from_var_name(name, self.vm, self.ids, self.tracking)
    }

    /// Sets `ids.NAME`.
    pub(in crate::vm) fn set(&mut self, name: &str, value: impl Into<MaybeRelocatable>) -> Result<(), HintError> {
        insert_value_from_var_name(name, value, self.vm, self.ids, self.tracking)
    }

    /// Sets `memory[ap]`.
    pub(in crate::vm) fn set_ap(&mut self, value: impl Into<Felt252>) -> Result<(), HintError> {
        insert_value_into_ap(self.vm, value.into())
    }

    /// The number in the cell `offset` cells behind a pointer.
    pub(in crate::vm) fn read(&self, start: Relocatable, offset: usize) -> Result<Felt252, HintError> {
        Ok(self.vm.get_integer((start + offset)?)?.into_owned())
    }

    /// Writes the cell `offset` cells behind a pointer.
    pub(in crate::vm) fn write(
        &mut self,
        start: Relocatable,
        offset: usize,
        value: impl Into<Felt252>,
    ) -> Result<(), HintError> {
        Ok(self.vm.insert_value((start + offset)?, value.into())?)
    }

    /// A constant of the library by its full name, or the library's value.
    pub(in crate::vm) fn constant(&self, name: &str, otherwise: usize) -> Result<usize, HintError> {
        match self.constants.get(name) {
            Some(felt) => felt.to_usize().ok_or_else(|| custom(format!("the constant `{name}` is {felt}"))),
            None => Ok(otherwise),
        }
    }
}
