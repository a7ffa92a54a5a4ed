//! The cost of the library's hints that loop, write or keep by an operand.
//!
//! | hints | loops | keeps |
//! |---|---|---|
//! | `find_element`, `search_sorted_lower` | elements | |
//! | `set_add` | cells of the set, and of an element for each | |
//! | `usort` | elements, and as many moves as a sorted list takes | a map, two lists |
//! | `squash_dict`, its first turn for a key | accesses | a map of their indices |
//! | `dict_read`, `dict_write`, `dict_update` | | an entry |
//! | `dict_new`, `default_dict_new`, `dict_squash` | entries that are copied | the copy |
//! | `unsafe_keccak`, `unsafe_keccak_finalize`, `chained_ec_op` | words that are hashed | them, while it runs |
//! | `blake2s` of felts | felts, eight words each | them, while it runs |
//! | `run_mod_p_circuit` | gates | |
//! | positions of Perpetual's accounts | entries of dictionaries | |
//! | square roots modulo a prime `p` | the square of the zero bits at the end of `p - 1` | |
//! | points of a curve by their `x` | a square root | |
//! | `finalize` of Keccak | blocks, of which a constant says the number | |
//! | relocation of a segment | | a rule |
//!
//! All others do the same work for all operands.

use std::collections::HashMap;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::ids::Ids;
use crate::vm::bounds::{Budget, Exceeded};
use crate::vm::hints::library::{ROOT, work_modulo};

/// Bytes that an entry of a map takes at most, in one that may have room for twice as many, with a list of its own.
const ENTRY_BYTES: u64 = 320;

/// Bytes that a word takes at most while it is hashed.
const WORD_BYTES: u64 = 256;

/// Cells that are moved in the time of a step.
const MOVED: usize = 256;

/// Words that a felt is unpacked to.
const FELT_WORDS: usize = 8;

/// Words of a state of Keccak.
const KECCAK_STATE: usize = 25;

/// Bytes of a word of Keccak.
const KECCAK_BYTES: usize = 16;

/// Takes the memory of a hint beside the cells that it writes at its variables. Returns the bytes that are free again
/// when it is done.
pub(super) fn charge(ids: &Ids<'_>, scopes: &ExecutionScopes, budget: &mut Budget) -> Result<u64, Exceeded> {
    match ids.code() {
        hint_code::FIND_ELEMENT if scopes.get_ref::<Felt252>("find_element_index").is_ok() => {}
        hint_code::FIND_ELEMENT | hint_code::SEARCH_SORTED_LOWER => elements(ids, ids.count("n_elms"), budget)?,
        hint_code::SET_ADD => {
            let cells = ids.pointer("set_end_ptr").zip(ids.pointer("set_ptr"));
            let cells = cells.map_or(0, |(end, start)| distance(start, end));
            elements(ids, cells, budget)?;
            budget.work(cells.saturating_mul(ids.count("elm_size").min(cells) / MOVED))?;
        }
        hint_code::USORT_BODY => {
            let elements = ids.count("input_len");
            budget.work(elements.saturating_add(elements.saturating_mul(elements / MOVED)))?;
            budget.keep(bytes(ENTRY_BYTES, elements))?;
        }
        hint_code::SQUASH_DICT => {
            let accesses = ids.count("n_accesses");
            budget.work(accesses)?;
            budget.keep(bytes(ENTRY_BYTES, accesses))?;
        }
        hint_code::SQUASH_DICT_INNER_FIRST_ITERATION => {
            let accesses = accesses_of_key(scopes);
            budget.work(accesses)?;
            budget.keep(bytes(WORD_BYTES, accesses))?;
        }
        hint_code::DICT_READ | hint_code::DICT_WRITE | hint_code::DICT_UPDATE => budget.keep(ENTRY_BYTES)?,
        hint_code::DICT_NEW | hint_code::DEFAULT_DICT_NEW => {
            let initial = scopes.get_ref::<HashMap<MaybeRelocatable, MaybeRelocatable>>("initial_dict");
            copy(initial.map_or(0, HashMap::len), budget)?;
        }
        hint_code::DICT_SQUASH_COPY_DICT => copy(entries(ids, scopes), budget)?,
        hint_code::UNSAFE_KECCAK => return lend(ids.count("length").div_ceil(KECCAK_BYTES), budget),
        hint_code::UNSAFE_KECCAK_FINALIZE => {
            let end = ids.address("keccak_state").and_then(|state| ids.pointer_at((state + 1usize).ok()?));
            let words = ids.pointer("keccak_state").zip(end).map_or(0, |(start, end)| distance(start, end));
            return lend(words, budget);
        }
        hint_code::CHAINED_EC_OP_RANDOM_EC_POINT => return lend(ids.count("len").saturating_mul(3), budget),
        hint_code::BLAKE2S_UNPACK_FELTS => {
            let words = ids.count("packed_values_len").saturating_mul(FELT_WORDS);
            let start = ids.pointer("unpacked_u32s");
            let lent = lend(words, budget)?;
            start.map_or(Ok(()), |start| budget.has_room(start, words))?;
            return Ok(lent);
        }
        hint_code::RUN_P_CIRCUIT | hint_code::RUN_P_CIRCUIT_WITH_LARGE_BATCH_SIZE => {
            gates(ids, ("add_mod_ptr", "add_mod_n"), budget)?;
            gates(ids, ("mul_mod_ptr", "mul_mod_n"), budget)?;
        }
        hint_code::UINT256_GET_SQUARE_ROOT | hint_code::UINT384_GET_SQUARE_ROOT => {
            budget.work(work_modulo(&of_limbs(ids, "p")))?;
        }
        hint_code::RECOVER_Y | hint_code::RANDOM_EC_POINT => budget.work(ROOT)?,
        hint_code::CAIRO_KECCAK_FINALIZE_V1 | hint_code::CAIRO_KECCAK_FINALIZE_V2 => {
            let cells = ids.constant("BLOCK_SIZE").unwrap_or(0).saturating_mul(2 * KECCAK_STATE);
            ids.pointer("keccak_ptr_end").map_or(Ok(()), |end| budget.has_room(end, cells))?;
        }
        hint_code::EXCESS_BALANCE => budget.work(all_entries(scopes))?,
        hint_code::RELOCATE_SEGMENT => relocation(ids, budget)?,
        _ => {}
    }
    Ok(0)
}

/// A number whose limbs of 128 bits stand at a variable; 0 if there is none.
fn of_limbs(ids: &Ids<'_>, name: &str) -> BigUint {
    let Some(address) = ids.address(name) else { return BigUint::ZERO };
    let limbs = (0..3_usize).map_while(|limb| ids.vm.get_integer((address + limb).ok()?).ok());
    limbs.enumerate().fold(BigUint::ZERO, |sum, (limb, felt)| sum + (felt.to_biguint() << (128 * limb)))
}

fn bytes(each: u64, number: usize) -> u64 {
    each.saturating_mul(number as u64)
}

/// Cells from `start` to `end`.
fn distance(start: Relocatable, end: Relocatable) -> usize {
    if start.segment_index == end.segment_index { end.offset.saturating_sub(start.offset) } else { 0 }
}

/// A loop over elements of `elm_size` cells each. They lie within the range of addresses.
fn elements(ids: &Ids<'_>, number: usize, budget: &mut Budget) -> Result<(), Exceeded> {
    budget.work(number)?;
    match number.checked_mul(ids.count("elm_size")) {
        Some(cells) if cells < usize::MAX / 2 => Ok(()),
        _ => budget.work(usize::MAX),
    }
}

/// A dictionary is copied, and the copy kept.
fn copy(entries: usize, budget: &mut Budget) -> Result<(), Exceeded> {
    budget.work(entries)?;
    budget.keep(bytes(ENTRY_BYTES, entries))
}

/// Words are copied, and forgotten when the hint is done.
fn lend(words: usize, budget: &mut Budget) -> Result<u64, Exceeded> {
    budget.work(words)?;
    let lent = bytes(WORD_BYTES, words);
    budget.keep(lent)?;
    Ok(lent)
}

/// The accesses of the key whose turn it is.
fn accesses_of_key(scopes: &ExecutionScopes) -> usize {
    let indices = scopes.get_ref::<HashMap<Felt252, Vec<Felt252>>>("access_indices");
    let of_key = indices.ok().zip(scopes.get_ref::<Felt252>("key").ok());
    of_key.and_then(|(indices, key)| indices.get(key)).map_or(0, Vec::len)
}

/// The entries of the dictionary that is squashed.
fn entries(ids: &Ids<'_>, scopes: &ExecutionScopes) -> usize {
    let manager = scopes.get_dict_manager().ok().zip(ids.pointer("dict_accesses_end"));
    manager.map_or(0, |(manager, end)| {
        let manager = manager.borrow();
        manager.trackers.get(&end.segment_index).map_or(0, |tracker| tracker.get_dictionary_ref().len())
    })
}

/// All dictionaries and their entries.
fn all_entries(scopes: &ExecutionScopes) -> usize {
    scopes.get_dict_manager().map_or(0, |manager| {
        manager.borrow().trackers.values().map(|tracker| 1 + tracker.get_dictionary_ref().len()).sum()
    })
}

/// The gates of a circuit: the first instance says how many there are of it (the 7th cell), and where their values (the
/// 5th) and their offsets (the 6th) stand.
fn gates(ids: &Ids<'_>, (instance, number): (&str, &str), budget: &mut Budget) -> Result<(), Exceeded> {
    let (Some(instance), number) = (ids.pointer(instance), ids.count(number)) else { return Ok(()) };
    if number == 0 {
        return Ok(());
    }
    let cell = |index: usize| Relocatable { offset: instance.offset.saturating_add(index), ..instance };
    let written = number.max(ids.count_at(cell(6)));
    budget.work(written)?;
    budget.has_room(instance, written.saturating_mul(7))?;
    let Some((values, offsets)) = ids.pointer_at(cell(4)).zip(ids.pointer_at(cell(5))) else { return Ok(()) };
    budget.has_room(offsets, written.saturating_mul(3))?;
    for index in 0..written.saturating_mul(3) {
        let offset = ids.vm.get_integer(Relocatable { offset: offsets.offset.saturating_add(index), ..offsets });
        // Where there is no offset yet, there will be a copy of one before.
        let Ok(offset) = offset else { break };
        let offset = offset.to_usize().unwrap_or(usize::MAX);
        budget.has_room(Relocatable { offset: values.offset.saturating_add(offset), ..values }, 4)?;
    }
    Ok(())
}

/// A temporary segment is moved when the run ends. In the arena of dictionaries, it goes behind the first one.
fn relocation(ids: &Ids<'_>, budget: &mut Budget) -> Result<(), Exceeded> {
    let target = match ids.pointer("infos") {
        Some(infos) => (infos + 1usize).ok().and_then(|end| ids.pointer_at(end)).and_then(|end| (end + 1usize).ok()),
        None => ids.pointer("dest_ptr"),
    };
    match ids.pointer("src_ptr").zip(target) {
        Some((source, target)) => budget.moves(source, &target.into()),
        None => Ok(()),
    }
}
