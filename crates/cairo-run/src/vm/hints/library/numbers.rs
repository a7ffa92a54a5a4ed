//! Hints about numbers, sorted lists, and the builtins that a task takes.

use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigInt;

use super::context::At;
use crate::vm::hints::error::custom;

/// Bits that the scalar of `ec_op` is split into: as many as the prime has.
const SCALAR_BITS: usize = 252;

/// `res`: the least number of bits that hold all numbers below `value`.
pub(super) fn log2_ceil(at: &mut At<'_>) -> Result<(), HintError> {
    let value = at.integer("value")?;
    if value == 0u32.into() {
        return Err(custom("0 has no logarithm"));
    }
    at.set("res", Felt252::from((value - 1u32).bits()))
}

/// Nothing, if `base` is not 0.
pub(super) fn base_is_not_zero(at: &mut At<'_>) -> Result<(), HintError> {
    match at.felt("base")? == Felt252::ZERO {
        true => Err(custom("Cannot raise 0 to a negative power.")),
        false => Ok(()),
    }
}

/// `index`: where the first element of a sorted list stands whose key is at least `key`; `exists`: whether they are
/// equal.
pub(super) fn search_sorted(at: &mut At<'_>) -> Result<(), HintError> {
    let (array, size, count) = (at.pointer("array_ptr")?, at.count("elm_size")?, at.count("n_elms")?);
    if size == 0 {
        return Err(custom("the elements of the list have no cells"));
    }
    let key = at.felt("key")?;
    let (mut index, mut exists) = (0, false);
    while index < count {
        at.work(1)?;
        let offset = index.checked_mul(size).ok_or_else(|| custom("the list is too long"))?;
        let found = at.read(array, offset)?;
        if found >= key {
            exists = found == key;
            break;
        }
        index += 1;
    }
    at.set("index", Felt252::from(index))?;
    at.set("exists", Felt252::from(exists))
}

/// The name of the number of builtins that are still to be selected.
const TO_SELECT: &str = "n_selected_builtins";

/// A scope for the selection of builtins.
pub(super) fn enter_selection(at: &mut At<'_>) -> Result<(), HintError> {
    let count = at.felt(TO_SELECT)?;
    at.scopes.enter_scope([(TO_SELECT.to_owned(), Box::new(count) as Box<_>)].into());
    Ok(())
}

/// `select_builtin`: whether the next builtin of all is the next of the selected ones.
pub(super) fn select_builtin(at: &mut At<'_>) -> Result<(), HintError> {
    let left: Felt252 = at.scopes.get(TO_SELECT)?;
    let first = |name: &str| {
        let pointer = at.pointer(name)?;
        at.vm.get_maybe(&pointer).ok_or_else(|| custom(format!("the list `{name}` has ended")))
    };
    // More than 2^128 are negative.
    let is_selected =
        left != Felt252::ZERO && left.bits() <= 128 && first("selected_encodings")? == first("all_encodings")?;
    at.set("select_builtin", Felt252::from(is_selected))?;
    if is_selected {
        at.scopes.insert_value(TO_SELECT, left - Felt252::ONE);
    }
    Ok(())
}

/// The bits of `m`, the least significant first.
pub(super) fn scalar_bits(at: &mut At<'_>) -> Result<(), HintError> {
    let (scalar, bits) = (at.integer("m")?, at.pointer("m_bit_unpacking")?);
    (0..SCALAR_BITS).try_for_each(|index| at.write(bits, index, scalar.bit(index as u64)))
}

/// The sum of two points that `ec_op` cannot add.
pub(super) fn no_sum(_: &mut At<'_>) -> Result<(), HintError> {
    Err(custom("ec_op failed: two points that are added have the same x coordinate"))
}

/// `is_on_curve`: whether the number that would be the y coordinate of a point of secp256k1 is one.
pub(super) fn is_on_secp256k1(at: &mut At<'_>) -> Result<(), HintError> {
    let prime: BigInt = (BigInt::from(1) << 256) - (BigInt::from(1) << 32) - 977;
    let y = at.scopes.get_ref::<BigInt>("y")?;
    let is_on_curve = (y * y) % prime == *at.scopes.get_ref("y_square_int")?;
    at.set("is_on_curve", Felt252::from(is_on_curve))
}
