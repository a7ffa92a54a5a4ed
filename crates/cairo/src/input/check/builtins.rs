//! The values in builtin segments: what their components can prove at all.
//!
//! Hashes are left to the components, which compute them; a wrong one leaves the sums of the lookups unequal.

use cairo_vm::types::builtin_name::BuiltinName;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;

use super::super::memory::{Cells, Words, felt};
use super::super::public::{SLOTS, Slot};
use super::super::{Place, Reason, Refusal};
use super::ec;

/// Instances are padded to a power of two, at least this.
const MIN_INSTANCES: usize = 16;

/// Checks the segment of each builtin: its bounds, and its instances.
pub(super) fn check(input: &ProverInput) -> Result<(), Refusal> {
    let cells = Cells(&input.memory);
    let mut ranges = Vec::new();
    for slot in &SLOTS {
        let Some(segment) = (slot.segment)(&input.builtin_segments) else { continue };
        let (start, stop) = (segment.begin_addr, segment.stop_ptr);
        let name = slot.name;
        let refuse = |what: String| {
            let remedy = "Make the ProverInput anew; the adapter pads the segments of builtins";
            Err(Refusal::new(Reason::Builtin, Place::Address(start as u64), what, remedy))
        };
        if start == 0 || start >= stop || stop > input.memory.address_to_id.len() {
            return refuse(format!("the segment of {name}, {start}..{stop}, is not within the memory"));
        }
        ranges.push((start, stop, name));
        if name == BuiltinName::output {
            continue;
        }
        let instances = (stop - start) / slot.cells;
        if !(stop - start).is_multiple_of(slot.cells) || !instances.is_power_of_two() || instances < MIN_INSTANCES {
            return refuse(format!(
                "the segment of {name} has {} cells, not {} times a power of two from 16",
                stop - start,
                slot.cells
            ));
        }
        // Addresses are below 2^29 here. The first instance that is wrong is the one to name, whichever thread finds it.
        let wrong =
            |instance: usize| check_instance(&cells, slot, (start + instance * slot.cells) as u32, instance > 0).err();
        if let Some(refusal) = (0..instances).into_par_iter().with_min_len(1 << 8).find_map_first(wrong) {
            return Err(refusal);
        }
    }
    ranges.sort_unstable_by_key(|(start, ..)| *start);
    if let Some(pair) = ranges.windows(2).find(|pair| pair[0].1 > pair[1].0) {
        let what = format!("the segments of {} and {} overlap", pair[0].2, pair[1].2);
        let place = Place::Address(pair[1].0 as u64);
        return Err(Refusal::new(Reason::Builtin, place, what, "Make the ProverInput anew"));
    }
    Ok(())
}

fn check_instance(cells: &Cells<'_>, slot: &Slot, first: u32, has_previous: bool) -> Result<(), Refusal> {
    let addresses = first..first + slot.cells as u32;
    let modulo = matches!(slot.name, BuiltinName::add_mod | BuiltinName::mul_mod);
    // An instance with the values of the one before needs no second look.
    let again = |address: u32| cells.id(address) == cells.id(address - slot.cells as u32);
    if has_previous && !modulo && addresses.clone().all(again) {
        return Ok(());
    }
    let refuse = |what: String| {
        let remedy = "Give the builtin inputs that it is defined for";
        Refusal::new(Reason::BuiltinValue, Place::Address(u64::from(first)), what, remedy)
    };
    let values: Vec<Words> = addresses
        .map(|address| cells.words(address))
        .collect::<Option<_>>()
        .ok_or_else(|| refuse(format!("an instance of {} has a cell without a value", slot.name)))?;
    match slot.name {
        BuiltinName::range_check => below(&values[0], 128),
        BuiltinName::range_check96 => below(&values[0], 96),
        BuiltinName::bitwise => bitwise(&values),
        BuiltinName::ec_op => {
            let [x, y, other_x, other_y, factor] = [0, 1, 2, 3, 4].map(|cell| felt(&values[cell]));
            ec::check((x, y), (other_x, other_y), &factor).map_err(Into::into)
        }
        _ if modulo => modulo_instance(cells, slot.name, first, has_previous),
        _ => Ok(()),
    }
    .map_err(refuse)
}

/// `bits` is a multiple of 32.
fn below(value: &Words, bits: usize) -> Result<(), String> {
    if value[bits / 32..].iter().all(|word| *word == 0) {
        Ok(())
    } else {
        Err(format!("the range-checked value {} has more than {bits} bits", felt(value)))
    }
}

/// x, y, x & y, x ^ y, x | y; as integers below the prime.
fn bitwise(values: &[Words]) -> Result<(), String> {
    let [x, y] = [&values[0], &values[1]];
    let of_words = |op: fn(u32, u32) -> u32| -> Words { std::array::from_fn(|i| op(x[i], y[i])) };
    // Exclusive or and or can reach the prime; the machine reduces them.
    let right = |cell: usize, words: Words| values[cell] == words || felt(&values[cell]) == felt(&words);
    if right(2, of_words(|x, y| x & y)) && right(3, of_words(|x, y| x ^ y)) && right(4, of_words(|x, y| x | y)) {
        Ok(())
    } else {
        Err("an instance of bitwise has wrong results".into())
    }
}

/// The seven cells of an instance of add_mod or mul_mod: modulus (4 words of 96 bits), table of values, offsets,
/// instances left.
fn modulo_instance(cells: &Cells<'_>, name: BuiltinName, first: u32, has_previous: bool) -> Result<(), String> {
    let word = |address: u32| cells.u128(address).filter(|word| word >> 96 == 0);
    let number = |start: u32| -> Option<BigUint> {
        (0..4).rev().try_fold(BigUint::zero(), |number, i| Some((number << 96) + word(start.checked_add(i)?)?))
    };
    let modulus = number(first).ok_or_else(|| format!("the modulus of {name} has a word of more than 96 bits"))?;
    let pointer =
        |index: u32| cells.address(first + index).ok_or_else(|| format!("cell {index} of {name} is no address"));
    let (table, offsets, left) = (pointer(4)?, pointer(5)?, pointer(6)?);
    if modulus.is_zero() {
        return Err(format!("the modulus of {name} is zero"));
    }
    // Unless the instance before is the last of its batch, this one goes on with it.
    if has_previous && cells.u32(first - 1) != Some(1) {
        let same = |index: u32| cells.id(first + index) == cells.id(first - 7 + index);
        let goes_on = (0..5).all(same)
            && cells.u32(first - 1) == Some(left + 1)
            && cells.u32(first - 2).is_some_and(|before| before + 3 == offsets);
        if !goes_on {
            return Err(format!("an instance of {name} does not go on with its batch"));
        }
    }
    let operand = |index: u32| -> Option<BigUint> {
        let offset = cells.u32(offsets + index).filter(|offset| *offset < 1 << 29)?;
        number(table + offset)
    };
    let operands = (operand(0), operand(1), operand(2));
    let (Some(a), Some(b), Some(c)) = operands else {
        return Err(format!("an operand of {name} is not in the table, or not four words of 96 bits"));
    };
    let right = if name == BuiltinName::add_mod {
        // The component subtracts the modulus at most once.
        let sum = a + b;
        sum == c || sum == c + modulus
    } else {
        let product = a * b;
        product >= c && ((&product - &c) % &modulus).is_zero() && (product - c) / modulus < BigUint::one() << 384u32
    };
    if right { Ok(()) } else { Err(format!("an instance of {name} has a wrong result")) }
}
