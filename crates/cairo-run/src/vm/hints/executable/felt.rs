//! Square roots and comparisons of felts.

use cairo_lang_casm::operand::{CellRef, ResOperand};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;

use super::{Machine, custom, integer, operand};

/// The smaller square root of `value` or, if it has none, of `3 value` (3 has no root, so one of the two has).
pub(super) fn square_root(vm: &mut Machine<'_>, value: &ResOperand, dst: &CellRef) -> Result<(), HintError> {
    let value = operand::felt(vm, value)?;
    let root = value.sqrt().or_else(|| (value * Felt252::THREE).sqrt());
    operand::write(vm, dst, root.ok_or_else(|| custom(format!("neither {value} nor its triple has a square root")))?)
}

/// The one of the three arcs `[0, a]`, `[a, b]`, `[b, p - 1]` that an assertion `a <= b` leaves out: the longest.
#[derive(Default)]
pub(super) struct ExcludedArc(usize);

/// `ceil(p / (3 * 2^128))` and `ceil(p / (2 * 2^128))`: divisors that split the two short arcs into range-checked
/// parts.
const THIRD_HIGH: u128 = 3544607988759775765608368578435044694;
const HALF_HIGH: u128 = 5316911983139663648412552867652567041;

impl ExcludedArc {
    /// Finds the excluded arc and writes the lengths of the other two, low and high part each, to the range check
    /// segment.
    pub(super) fn find(
        &mut self,
        vm: &mut Machine<'_>,
        range_check_ptr: &ResOperand,
        (a, b): (&ResOperand, &ResOperand),
    ) -> Result<(), HintError> {
        let (a, b) = (operand::integer(vm, a)?, operand::integer(vm, b)?);
        if a > b {
            return Err(custom(format!("{a} is not less than or equal to {b}")));
        }
        let last = Felt252::prime() - 1u32 - &b;
        let mut arcs = [(a.clone(), 0), (b - a, 1), (last, 2)];
        arcs.sort();
        let start = operand::pointer(vm, range_check_ptr)?;
        for (index, divisor) in [THIRD_HIGH, HALF_HIGH].into_iter().enumerate() {
            let (length, divisor) = (&arcs[index].0, BigUint::from(divisor));
            vm.insert_value((start + 2 * index)?, Felt252::from(length % &divisor))?;
            vm.insert_value((start + (2 * index + 1))?, Felt252::from(length / divisor))?;
        }
        self.0 = arcs[2].1;
        Ok(())
    }

    /// Writes whether another arc than `arc` is excluded.
    pub(super) fn write_is_not(&self, vm: &mut Machine<'_>, arc: usize, dst: &CellRef) -> Result<(), HintError> {
        integer::write_flag(vm, dst, self.0 != arc)
    }

    /// Fails unless the third arc is excluded.
    pub(super) fn assert_third(&self) -> Result<(), HintError> {
        if self.0 == 2 { Ok(()) } else { Err(custom("the excluded arc is not the third one")) }
    }
}
