//! The instances of add_mod and mul_mod: the ones that the machine has and the component can prove.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use crate::{BuiltinName, Cells};

/// Cells of an instance: modulus (4), pointer to the values, pointer to the offsets, operations left.
const CELLS: u32 = 7;
/// Words of an integer, and bits of a word.
const WORDS: u32 = 4;
const WORD_BITS: u32 = 96;

/// An instance in its segment.
#[derive(Clone, Copy)]
pub(super) struct Instance {
    pub(super) name: BuiltinName,
    /// Its first address.
    pub(super) first: u32,
    /// Whether it is the first of its segment.
    pub(super) opens: bool,
    /// Whether it is the last of its segment, padding included.
    pub(super) closes: bool,
}

/// Checks an instance, as the machine does at the end of a run (`run_additional_security_checks` of cairo-vm), and that
/// the component has a row for it.
///
/// The component alone would not do: it has rows for a modulus of 0, for words of up to 99 bits, for negative offsets,
/// and for a last batch that is cut short.
pub(super) fn check(cells: &Cells<'_>, instance: Instance) -> Result<(), String> {
    let Instance { name, first, opens, closes } = instance;
    let modulus = integer(cells, first, "the modulus", name)?;
    let pointer =
        |index: u32| cells.address(first + index).ok_or_else(|| format!("cell {index} of {name} is no address"));
    let (table, offsets, left) = (pointer(4)?, pointer(5)?, pointer(6)?);
    if modulus.is_zero() {
        return Err(format!("the modulus of {name} is zero"));
    }
    if left == 0 {
        return Err(format!("an instance of {name} has no operation left"));
    }
    if closes && left != 1 {
        return Err(format!("the last batch of {name} ends with {left} operations left, not 1"));
    }
    // Unless the instance before is the last of its batch, this one goes on with it.
    if !opens && cells.u32(first - 1) != Some(1) {
        let same = |index: u32| cells.id(first + index) == cells.id(first - CELLS + index);
        let goes_on = (0..=WORDS).all(same)
            && cells.u32(first - 1) == Some(left + 1)
            && cells.u32(first - 2).is_some_and(|before| before.checked_add(3) == Some(offsets));
        if !goes_on {
            return Err(format!("an instance of {name} does not go on with its batch"));
        }
    }
    let operand = |index: u32, what: &str| {
        let offset = cells.address(offsets + index);
        let offset = offset.ok_or_else(|| format!("the offset of {what} of {name} is negative, or 2^29 or more"))?;
        integer(cells, table + offset, what, name)
    };
    let (a, b, c) = (operand(0, "a")?, operand(1, "b")?, operand(2, "c")?);
    // The component has these rows: the modulus subtracted at most once, a quotient of four words of 96 bits.
    let (result, has_row) = if name == BuiltinName::AddMod {
        let sum = a + b;
        let has_row = sum == c || sum == &c + &modulus;
        (sum, has_row)
    } else {
        let product = a * b;
        let has_row = product >= c && (&product - &c) / &modulus < BigUint::one() << (WORDS * WORD_BITS);
        (product, has_row)
    };
    match (&result % &modulus == &c % &modulus, has_row) {
        (true, true) => Ok(()),
        (false, _) => Err(format!("an instance of {name} has a wrong result")),
        (true, false) => {
            Err(format!("the result of an instance of {name} is right, but its component has no row for it"))
        }
    }
}

/// The integer whose four words begin at an address, the least significant first.
fn integer(cells: &Cells<'_>, start: u32, what: &str, name: BuiltinName) -> Result<BigUint, String> {
    (start..start + WORDS).rev().try_fold(BigUint::zero(), |number, address| {
        let word = cells.u128(address).filter(|word| word >> WORD_BITS == 0);
        let word = word.ok_or_else(|| {
            let place = format!("address {address}, in {what} of {name}");
            match cells.felt(address) {
                Some(value) => format!("{place}, has {value}, which is more than {WORD_BITS} bits"),
                None => format!("{place}, has no value"),
            }
        })?;
        Ok((number << WORD_BITS) + word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    /// An instance whose pointer to the offsets is no address has none after it, wherever the sum would be.
    #[test]
    fn no_batch_goes_on_behind_the_last_address() {
        for before in [u32::MAX, u32::MAX - 2, u32::MAX - 3, 20] {
            let second = [7, 0, 0, 0, 14, 20, 1];
            let small_values = [7, 0, 0, 0, 14, before, 2].into_iter().chain(second).map(u128::from);
            // Equal cells of both have one id.
            let ids = (0..7).chain(0..5).chain(12..14);
            let memory = Memory::new(ids.collect::<Vec<_>>(), Vec::new(), small_values.collect::<Vec<_>>());
            let instance = Instance { name: BuiltinName::AddMod, first: CELLS, opens: false, closes: true };
            let refused = check(&Cells(&memory), instance).expect_err("no batch");
            assert!(refused.contains("does not go on with its batch"), "{before}: {refused}");
        }
    }
}
