//! The squashing of a dictionary: its accesses, sorted by key, proven to chain value by value.

use std::collections::{BTreeMap, VecDeque};

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_traits::ToPrimitive;

use super::integer::write_flag;
use super::{Machine, custom, operand};

/// Cells of an access: key, value before, value after.
const ACCESS: usize = 3;

/// Bytes that are kept of an access at most: its key in a tree, and its index in a list of its own.
const ACCESS_BYTES: u64 = 192;

/// The accesses of the dictionary that is being squashed.
#[derive(Default)]
pub(super) struct Squash {
    /// The indices of the accesses to each key that is still to come.
    keys: BTreeMap<Felt252, VecDeque<usize>>,
    /// The indices of the accesses to the current key that are still to come, and how many there were.
    indices: VecDeque<usize>,
    accesses: usize,
    /// The current access.
    index: usize,
}

impl Squash {
    /// Sorts the accesses by key; writes whether a key has more than 128 bits, and the first key.
    pub(super) fn begin(
        &mut self,
        vm: &mut Machine<'_>,
        accesses: &ResOperand,
        (size, count): (&ResOperand, &ResOperand),
        (big_keys, first_key): (&CellRef, &CellRef),
    ) -> Result<(), HintError> {
        let (accesses, size, count) =
            (operand::pointer(vm, accesses)?, operand::count(vm, size)?, operand::count(vm, count)?);
        if !size.is_multiple_of(ACCESS) {
            return Err(custom(format!("a dictionary has {size} cells, not a multiple of {ACCESS}")));
        }
        vm.work(count)?;
        vm.keep(ACCESS_BYTES.saturating_mul(count as u64))?;
        *self = Self::default();
        for index in 0..count {
            let key = vm.get_integer((accesses + index * ACCESS)?)?;
            self.keys.entry(key).or_default().push_back(index);
        }
        let largest = self.keys.last_key_value().ok_or_else(|| custom("it squashes a dictionary without accesses"))?;
        write_flag(vm, big_keys, largest.0.to_u128().is_none())?;
        self.next_key(vm, first_key)
    }

    /// Goes to the next key and writes it.
    pub(super) fn next_key(&mut self, vm: &mut Machine<'_>, dst: &CellRef) -> Result<(), HintError> {
        let (key, indices) =
            self.keys.pop_first().ok_or_else(|| custom("a dictionary has fewer keys than accesses remain"))?;
        self.accesses = indices.len();
        self.indices = indices;
        operand::write(vm, dst, key)
    }

    fn next_index(&mut self) -> Result<usize, HintError> {
        self.index = self.indices.pop_front().ok_or_else(|| custom("a key of a dictionary has no further access"))?;
        Ok(self.index)
    }

    /// Goes to the first access of the key and writes its index.
    pub(super) fn first_access(&mut self, vm: &mut Machine<'_>, range_check_ptr: &ResOperand) -> Result<(), HintError> {
        let index = self.next_index()?;
        let address = operand::pointer(vm, range_check_ptr)?;
        vm.insert_value(address, Felt252::from(index))
    }

    /// Goes to the next access of the key and writes the distance to the one before, less 1.
    pub(super) fn next_access(&mut self, vm: &mut Machine<'_>, dst: &CellRef) -> Result<(), HintError> {
        let before = self.index;
        let index = self.next_index()?;
        operand::write(vm, dst, Felt252::from(index - before - 1))
    }

    /// Whether the key has no further access.
    pub(super) fn is_last_access(&self) -> bool {
        self.indices.is_empty()
    }

    /// Whether there is no further key.
    pub(super) fn is_last_key(&self) -> bool {
        self.keys.is_empty()
    }

    /// The number of accesses of the key.
    pub(super) fn accesses(&self) -> usize {
        self.accesses
    }
}
