//! Hints that allocate segments, copy and set cells, open scopes, and move segments.

use std::collections::HashMap;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::hint_code;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::Hint;
use super::context::At;
use super::variables::RELOCATION;

/// The hints of this family by their texts.
pub(super) const HINTS: &[(&str, Hint)] = &[
    (hint_code::ADD_SEGMENT, add_segment),
    (hint_code::TEMPORARY_ARRAY, add_temporary_segment),
    (hint_code::RELOCATE_SEGMENT, relocate_segment),
    (hint_code::VM_ENTER_SCOPE, enter_scope),
    (hint_code::VM_EXIT_SCOPE, exit_scope),
    (hint_code::MEMCPY_ENTER_SCOPE, |at| enter_loop(at, "len")),
    (hint_code::MEMCPY_CONTINUE_COPYING, |at| continue_loop(at, "continue_copying")),
    (hint_code::MEMSET_ENTER_SCOPE, |at| enter_loop(at, "n")),
    (hint_code::MEMSET_CONTINUE_LOOP, |at| continue_loop(at, "continue_loop")),
];

/// The name of the turns that are left to a loop.
const TURNS: &str = "n";

fn add_segment(at: &mut At<'_>) -> Result<(), HintError> {
    let segment = at.vm.add_memory_segment()?;
    at.point_ap(segment)
}

fn add_temporary_segment(at: &mut At<'_>) -> Result<(), HintError> {
    let segment = at.vm.add_temporary_segment()?;
    at.set("temporary_array", segment)
}

/// Lets a temporary segment become part of another one; that of a dictionary goes behind the first dictionary.
fn relocate_segment(at: &mut At<'_>) -> Result<(), HintError> {
    let source = at.pointer("src_ptr")?;
    let target = match at.pointer(RELOCATION) {
        Ok(infos) => {
            let end = at.cell((infos + 1_usize)?)?;
            end.add_usize(1)?
        }
        Err(_) => at.value("dest_ptr")?,
    };
    at.vm.add_relocation_rule(source, target)
}

fn enter_scope(at: &mut At<'_>) -> Result<(), HintError> {
    at.scopes.enter_scope(HashMap::new());
    Ok(())
}

fn exit_scope(at: &mut At<'_>) -> Result<(), HintError> {
    Ok(at.scopes.exit_scope()?)
}

/// A scope for a loop of `ids.NAME` turns.
fn enter_loop(at: &mut At<'_>, name: &str) -> Result<(), HintError> {
    let turns: Felt252 = at.felt(name)?;
    at.scopes.enter_scope([(TURNS.to_owned(), Box::new(turns) as Box<_>)].into());
    Ok(())
}

/// `NAME`: whether the loop has another turn. Below 0 it counts on from the prime, as cairo-vm does.
fn continue_loop(at: &mut At<'_>, name: &str) -> Result<(), HintError> {
    let turns: &mut Felt252 = at.scopes.get_mut_ref(TURNS)?;
    *turns -= Felt252::ONE;
    let continues = *turns != Felt252::ZERO;
    at.set(name, MaybeRelocatable::Int(continues.into()))
}
