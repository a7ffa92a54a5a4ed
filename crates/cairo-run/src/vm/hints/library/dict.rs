//! Hints of `dict` and `squash_dict`.
//!
//! An access of a dictionary is three cells: key, value before, value after.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::dict_manager::{DictManager, DictTracker};
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;

use super::Hint;
use super::context::At;
use super::math::ensure;
use super::tree::ACCESS;
use crate::vm::hints::error::custom;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::DICT_NEW, new_dict),
    (hint_code::DEFAULT_DICT_NEW, new_default_dict),
    (hint_code::DICT_READ, read),
    (hint_code::DICT_WRITE, write),
    (hint_code::DICT_UPDATE, update),
    (hint_code::DICT_SQUASH_COPY_DICT, copy_dict),
    (hint_code::DICT_SQUASH_UPDATE_PTR, update_pointer),
    (hint_code::SQUASH_DICT, squash),
    (hint_code::SQUASH_DICT_INNER_FIRST_ITERATION, first_access),
    (hint_code::SQUASH_DICT_INNER_SKIP_LOOP, |at| {
        let is_last = state(at)?.indices.is_empty();
        at.set_flag("should_skip_loop", is_last)
    }),
    (hint_code::SQUASH_DICT_INNER_CHECK_ACCESS_INDEX, next_access),
    (hint_code::SQUASH_DICT_INNER_CONTINUE_LOOP, continue_loop),
    (hint_code::SQUASH_DICT_INNER_LEN_ASSERT, |at| ensure(state(at)?.indices.is_empty(), "a key has further accesses")),
    (hint_code::SQUASH_DICT_INNER_USED_ACCESSES_ASSERT, |at| {
        let used = at.count("n_used_accesses")?;
        ensure(state(at)?.accesses == used, "not all accesses of a key are used")
    }),
    (hint_code::SQUASH_DICT_INNER_ASSERT_LEN_KEYS, |at| ensure(state(at)?.keys.is_empty(), "there are further keys")),
    (hint_code::SQUASH_DICT_INNER_NEXT_KEY, |at| next_key(at, "next_key")),
];

/// The names of all dictionaries, which the library's other hints know, too, and of the values of the next one.
const DICTS: &str = "dict_manager";
const INITIAL: &str = "initial_dict";

/// Bytes that an entry of a map takes at most, in one that may have room for twice as many, with a list of its own.
const ENTRY_BYTES: u64 = 320;

type Values = HashMap<MaybeRelocatable, MaybeRelocatable>;

/// A new dictionary in a segment of its own, with these values.
fn add(
    at: &mut At<'_>,
    tracker: impl FnOnce(Relocatable, Option<Values>) -> Option<DictTracker>,
) -> Result<(), HintError> {
    let initial = at.scopes.get_ref::<Values>(INITIAL).ok();
    let entries = initial.map_or(0, HashMap::len);
    at.work(entries)?;
    at.keep(ENTRY_BYTES.saturating_mul(entries as u64))?;
    let initial = at.scopes.get::<Values>(INITIAL).ok();
    let start = at.vm.add_memory_segment()?;
    let tracker = tracker(start, initial).ok_or_else(|| custom("a dictionary has no initial values"))?;
    if at.scopes.get_dict_manager().is_err() {
        at.scopes.insert_value(DICTS, Rc::new(RefCell::new(DictManager::new())));
    }
    let dicts = at.scopes.get_dict_manager()?;
    dicts.borrow_mut().trackers.insert(start.segment_index, tracker);
    at.point_ap(start)
}

fn new_dict(at: &mut At<'_>) -> Result<(), HintError> {
    add(at, |start, initial| Some(DictTracker::new_with_initial(start, initial?)))
}

fn new_default_dict(at: &mut At<'_>) -> Result<(), HintError> {
    let default = at.value("default_value")?;
    add(at, |start, initial| Some(DictTracker::new_default_dict(start, &default, initial)))
}

/// Makes the access at `ids.dict_ptr`: the value of `ids.key` before, while `after` is its value from then on.
fn access(at: &mut At<'_>, after: Option<&MaybeRelocatable>) -> Result<(Relocatable, MaybeRelocatable), HintError> {
    let (key, pointer) = (at.value("key")?, at.pointer("dict_ptr")?);
    at.keep(ENTRY_BYTES)?;
    let dicts = at.scopes.get_dict_manager()?;
    let mut dicts = dicts.borrow_mut();
    let dict = dicts.get_tracker_mut(pointer)?;
    dict.current_ptr = (pointer + ACCESS)?;
    let before = dict.get_value(&key)?.clone();
    if let Some(after) = after {
        dict.insert_value(&key, after);
    }
    Ok((pointer, before))
}

fn read(at: &mut At<'_>) -> Result<(), HintError> {
    let (_, value) = access(at, None)?;
    at.set("value", value)
}

fn write(at: &mut At<'_>) -> Result<(), HintError> {
    let after = at.value("new_value")?;
    let (pointer, before) = access(at, Some(&after))?;
    at.vm.put((pointer + 1_usize)?, before)
}

fn update(at: &mut At<'_>) -> Result<(), HintError> {
    let (said, after) = (at.value("prev_value")?, at.value("new_value")?);
    let (_, before) = access(at, Some(&after))?;
    ensure(before == said, "a dictionary has another value before an update")
}

/// A scope with the dictionaries, and the values of one for a new one.
fn copy_dict(at: &mut At<'_>) -> Result<(), HintError> {
    let end = at.pointer("dict_accesses_end")?;
    let dicts = at.scopes.get_dict_manager()?;
    let entries = dicts.borrow().get_tracker(end)?.get_dictionary_ref().len();
    at.work(entries)?;
    at.keep(ENTRY_BYTES.saturating_mul(entries as u64))?;
    let values = dicts.borrow().get_tracker(end)?.get_dictionary_copy();
    let locals: [(&str, Box<dyn Any>); 2] = [(DICTS, Box::new(dicts)), (INITIAL, Box::new(values))];
    at.scopes.enter_scope(locals.map(|(name, value)| (name.to_owned(), value)).into());
    Ok(())
}

/// The squashed dictionary goes on where it ends.
fn update_pointer(at: &mut At<'_>) -> Result<(), HintError> {
    let (start, end) = (at.pointer("squashed_dict_start")?, at.pointer("squashed_dict_end")?);
    let dicts = at.scopes.get_dict_manager()?;
    dicts.borrow_mut().get_tracker_mut(start)?.current_ptr = end;
    Ok(())
}

/// The dictionary that is squashed.
#[derive(Default)]
struct Squash {
    /// The indices of the accesses to each key that is still to come, the last ones first.
    keys: BTreeMap<Felt252, Vec<usize>>,
    /// The indices of the current key that are still to come, and how many there were.
    indices: Vec<usize>,
    accesses: usize,
    /// The current access.
    index: usize,
}

/// The name of the dictionary that is squashed.
const SQUASH: &str = "squash_dict";

fn state<'a>(at: &'a mut At<'_>) -> Result<&'a mut Squash, HintError> {
    at.scopes.get_mut_ref(SQUASH)
}

/// Bits of a key that a range check proves.
const KEY_BITS: usize = 128;

fn squash(at: &mut At<'_>) -> Result<(), HintError> {
    let (accesses, cells, count) = (at.pointer("dict_accesses")?, at.count("ptr_diff")?, at.count("n_accesses")?);
    ensure(cells.is_multiple_of(ACCESS), "a dictionary has cells that are no access")?;
    at.work(count)?;
    at.keep(ENTRY_BYTES.saturating_mul(count as u64))?;
    let mut squash = Squash::default();
    for index in (0..count).rev() {
        let key = at.read(accesses, index * ACCESS)?;
        squash.keys.entry(key).or_default().push(index);
    }
    let largest = squash.keys.last_key_value().map(|(key, _)| *key);
    let largest = largest.ok_or_else(|| custom("a dictionary without accesses is squashed"))?;
    at.set_flag("big_keys", largest.bits() > KEY_BITS)?;
    at.scopes.insert_value(SQUASH, squash);
    next_key(at, "first_key")
}

fn next_key(at: &mut At<'_>, name: &str) -> Result<(), HintError> {
    let squash = state(at)?;
    let (key, indices) = squash.keys.pop_first().ok_or_else(|| custom("a dictionary has no further key"))?;
    (squash.accesses, squash.indices) = (indices.len(), indices);
    at.set(name, key)
}

fn next_index(at: &mut At<'_>) -> Result<usize, HintError> {
    let squash = state(at)?;
    squash.index = squash.indices.pop().ok_or_else(|| custom("a key has no further access"))?;
    Ok(squash.index)
}

fn first_access(at: &mut At<'_>) -> Result<(), HintError> {
    let index = next_index(at)?;
    at.write(at.pointer("range_check_ptr")?, 0, index)
}

/// Sets how many accesses are between this one and the next one of the key.
fn next_access(at: &mut At<'_>) -> Result<(), HintError> {
    let before = state(at)?.index;
    let index = next_index(at)?;
    at.set_number("loop_temps", index - before - 1)
}

/// Where the loop says whether it goes on, behind its other values.
const CONTINUES: usize = 3;

fn continue_loop(at: &mut At<'_>) -> Result<(), HintError> {
    let continues = !state(at)?.indices.is_empty();
    at.write(at.address("loop_temps")?, CONTINUES, continues)
}
