//! The part of a run that a hint sees.

use cairo_vm::Felt252;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::errors::memory_errors::MemoryError;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::variables::Variables;
use crate::vm::hints::error::custom;
use crate::vm::hints::machine::Machine;

/// A hint at work.
pub(in crate::vm) struct At<'a> {
    pub(in crate::vm) vm: &'a mut Machine<'a>,
    pub(in crate::vm) scopes: &'a mut ExecutionScopes,
    pub(in crate::vm) ids: &'a Variables,
}

/// Bits of a limb.
const LIMB: usize = 128;

fn unknown(name: &str) -> HintError {
    HintError::UnknownIdentifier(name.into())
}

impl At<'_> {
    /// Takes this many turns of a loop from the run's steps.
    pub(in crate::vm) fn work(&mut self, turns: usize) -> Result<(), HintError> {
        Ok(self.vm.budget().work(turns)?)
    }

    /// Takes memory that is kept outside of the machine.
    pub(in crate::vm) fn keep(&mut self, bytes: u64) -> Result<(), HintError> {
        Ok(self.vm.budget().keep(bytes)?)
    }

    /// The value `ids.NAME`.
    pub(in crate::vm) fn value(&self, name: &str) -> Result<MaybeRelocatable, HintError> {
        self.ids.value(name, self.vm).ok_or_else(|| unknown(name))
    }

    /// The number `ids.NAME`.
    pub(in crate::vm) fn felt(&self, name: &str) -> Result<Felt252, HintError> {
        self.value(name)?.get_int().ok_or_else(|| HintError::IdentifierNotInteger(name.into()))
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
        self.value(name)?.get_relocatable().ok_or_else(|| HintError::IdentifierNotRelocatable(name.into()))
    }

    /// Where the structure `ids.NAME` begins.
    pub(in crate::vm) fn address(&self, name: &str) -> Result<Relocatable, HintError> {
        self.ids.address(name, self.vm).ok_or_else(|| unknown(name))
    }

    /// Sets `ids.NAME`.
    pub(in crate::vm) fn set(&mut self, name: &str, value: impl Into<MaybeRelocatable>) -> Result<(), HintError> {
        let address = self.address(name)?;
        self.vm.put(address, value.into())
    }

    /// Sets `ids.NAME` to 1 or 0.
    pub(in crate::vm) fn set_flag(&mut self, name: &str, flag: bool) -> Result<(), HintError> {
        self.set(name, Felt252::from(flag))
    }

    /// Sets `ids.NAME` to a number modulo the prime.
    pub(in crate::vm) fn set_number(&mut self, name: &str, number: impl Into<Felt252>) -> Result<(), HintError> {
        self.set(name, number.into())
    }

    /// The number whose limbs of 128 bits stand in `count` cells from `ids.NAME` on, the least significant first.
    pub(in crate::vm) fn packed(&self, name: &str, count: usize) -> Result<BigUint, HintError> {
        let start = self.address(name)?;
        (0..count)
            .try_fold(BigUint::ZERO, |sum, limb| Ok(sum + (self.read(start, limb)?.to_biguint() << (LIMB * limb))))
    }

    /// Writes a number in `count` limbs of 128 bits from `ids.NAME` on, its lowest ones.
    pub(in crate::vm) fn set_packed(&mut self, name: &str, number: &BigUint, count: usize) -> Result<(), HintError> {
        let (start, mask) = (self.address(name)?, BigUint::from(u128::MAX));
        (0..count).try_for_each(|limb| self.write(start, limb, (number >> (LIMB * limb)) & &mask))
    }

    /// Sets `memory[ap]` to a number.
    pub(in crate::vm) fn set_ap(&mut self, value: impl Into<Felt252>) -> Result<(), HintError> {
        let ap = self.vm.get_ap();
        self.vm.put(ap, MaybeRelocatable::Int(value.into()))
    }

    /// Sets `memory[ap]` to a pointer.
    pub(in crate::vm) fn point_ap(&mut self, to: Relocatable) -> Result<(), HintError> {
        let ap = self.vm.get_ap();
        self.vm.put(ap, to.into())
    }

    /// The value in a cell.
    pub(in crate::vm) fn cell(&self, cell: Relocatable) -> Result<MaybeRelocatable, HintError> {
        Ok(self.vm.get_maybe(&cell).ok_or_else(|| MemoryError::UnknownMemoryCell(Box::new(cell)))?)
    }

    /// The number in the cell `offset` cells behind a pointer.
    pub(in crate::vm) fn read(&self, start: Relocatable, offset: usize) -> Result<Felt252, HintError> {
        let cell = (start + offset)?;
        Ok(self.cell(cell)?.get_int().ok_or_else(|| MemoryError::ExpectedInteger(Box::new(cell)))?)
    }

    /// Writes the cell `offset` cells behind a pointer.
    pub(in crate::vm) fn write(
        &mut self,
        start: Relocatable,
        offset: usize,
        value: impl Into<Felt252>,
    ) -> Result<(), HintError> {
        self.vm.put((start + offset)?, MaybeRelocatable::Int(value.into()))
    }

    /// Writes numbers from a pointer on.
    pub(in crate::vm) fn write_all<T: Into<Felt252>>(
        &mut self,
        start: Relocatable,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), HintError> {
        values.into_iter().enumerate().try_for_each(|(offset, value)| self.write(start, offset, value))
    }

    /// The constant `ids.NAME`.
    pub(in crate::vm) fn constant(&self, name: &str) -> Result<Felt252, HintError> {
        self.ids.constant(name).ok_or_else(|| custom(format!("the program has no constant `{name}`")))
    }

    /// The constant `ids.NAME`, which counts something, or the library's value.
    pub(in crate::vm) fn constant_or(&self, name: &str, otherwise: usize) -> Result<usize, HintError> {
        match self.ids.constant(name) {
            Some(felt) => felt.to_usize().ok_or_else(|| custom(format!("the constant `{name}` is {felt}"))),
            None => Ok(otherwise),
        }
    }
}
