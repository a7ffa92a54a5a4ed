//! Hints that look for elements of lists and sort them: `find_element`, `set`, `usort`.

use std::collections::{BTreeMap, HashMap};

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::relocatable::Relocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::Hint;
use super::context::At;
use super::math::ensure;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::FIND_ELEMENT, find_element),
    (hint_code::SEARCH_SORTED_LOWER, search_sorted_lower),
    (hint_code::SET_ADD, add_to_set),
    (hint_code::USORT_ENTER_SCOPE, |at| {
        at.scopes.enter_scope(HashMap::new());
        Ok(())
    }),
    (hint_code::USORT_BODY, sort),
    (hint_code::USORT_VERIFY, begin_value),
    (hint_code::USORT_VERIFY_MULTIPLICITY_ASSERT, |at| {
        ensure(state(at)?.current.is_empty(), "a value is at further positions")
    }),
    (hint_code::USORT_VERIFY_MULTIPLICITY_BODY, next_position),
];

/// Where the elements of a list begin, how many cells each has, and how many there are.
fn list(at: &mut At<'_>) -> Result<(Relocatable, usize, usize), HintError> {
    let (start, size, count) = (at.pointer("array_ptr")?, at.count("elm_size")?, at.count("n_elms")?);
    ensure(size > 0, "the elements of a list have no cells")?;
    ensure(size.checked_mul(count).is_some(), "a list is too long")?;
    Ok((start, size, count))
}

/// The number of the first element whose first cell is as asked.
fn find(at: &mut At<'_>, is_found: impl Fn(Felt252) -> bool) -> Result<Option<usize>, HintError> {
    let (start, size, count) = list(at)?;
    for index in 0..count {
        at.work(1)?;
        if is_found(at.read(start, index * size)?) {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn find_element(at: &mut At<'_>) -> Result<(), HintError> {
    let key = at.felt("key")?;
    let index = find(at, |found| found == key)?.ok_or_else(|| custom(format!("no element has the key {key}")))?;
    at.set_number("index", index)
}

fn search_sorted_lower(at: &mut At<'_>) -> Result<(), HintError> {
    let key = at.felt("key")?;
    let count = at.count("n_elms")?;
    let index = find(at, |found| found >= key)?.unwrap_or(count);
    at.set_number("index", index)
}

/// `is_elm_in_set`, and `index` if it is.
fn add_to_set(at: &mut At<'_>) -> Result<(), HintError> {
    let (set, end, element, size) =
        (at.pointer("set_ptr")?, at.pointer("set_end_ptr")?, at.pointer("elm_ptr")?, at.count("elm_size")?);
    ensure(size > 0, "the elements of a set have no cells")?;
    let cells = (end - set)?;
    ensure(size <= isize::MAX as usize / 2 / (cells + 1), "a set is too large")?;
    for index in 0..cells.div_ceil(size) {
        let mut is_equal = true;
        for cell in 0..size {
            at.work(1)?;
            let [of_set, of_element] =
                [(set + (index * size + cell))?, (element + cell)?].map(|at_| at.vm.get_maybe(&at_));
            if of_set != of_element {
                is_equal = false;
                break;
            }
        }
        if is_equal {
            at.set_number("index", index)?;
            return at.set_flag("is_elm_in_set", true);
        }
    }
    at.set_flag("is_elm_in_set", false)
}

/// The list that is sorted.
struct Sorted {
    /// The positions of each value that is still to be verified, the last ones first.
    positions: HashMap<Felt252, Vec<usize>>,
    /// The positions of the current value, and the first one that may be next.
    current: Vec<usize>,
    next: usize,
}

/// The name of the list that is sorted.
const SORTED: &str = "usort";

/// Bytes that an element takes at most, in a map with a list of its own.
const ENTRY_BYTES: u64 = 320;

fn state<'a>(at: &'a mut At<'_>) -> Result<&'a mut Sorted, HintError> {
    at.scopes.get_mut_ref(SORTED)
}

/// The values in order, and how often each one is in the list.
fn sort(at: &mut At<'_>) -> Result<(), HintError> {
    let (input, count) = (at.pointer("input")?, at.count("input_len")?);
    at.work(count)?;
    at.keep(ENTRY_BYTES.saturating_mul(count as u64))?;
    let mut positions: BTreeMap<Felt252, Vec<usize>> = BTreeMap::new();
    for index in (0..count).rev() {
        positions.entry(at.read(input, index)?).or_default().push(index);
    }
    let [values, multiplicities] = [at.vm.add_memory_segment()?, at.vm.add_memory_segment()?];
    at.write_all(values, positions.keys().copied())?;
    at.write_all(multiplicities, positions.values().map(Vec::len))?;
    at.set_number("output_len", positions.len())?;
    at.set("output", values)?;
    at.set("multiplicities", multiplicities)?;
    let positions = positions.into_iter().collect();
    at.scopes.insert_value(SORTED, Sorted { positions, current: Vec::new(), next: 0 });
    Ok(())
}

fn begin_value(at: &mut At<'_>) -> Result<(), HintError> {
    let value = at.felt("value")?;
    let sorted = state(at)?;
    sorted.current = sorted.positions.remove(&value).ok_or_else(|| custom("a value is in no list"))?;
    sorted.next = 0;
    Ok(())
}

/// `next_item_index`: how many elements are between the position before and the next one.
fn next_position(at: &mut At<'_>) -> Result<(), HintError> {
    let sorted = state(at)?;
    let position = sorted.current.pop().ok_or_else(|| custom("a value is at no further position"))?;
    let between = position - std::mem::replace(&mut sorted.next, position + 1);
    at.set_number("next_item_index", between)
}
