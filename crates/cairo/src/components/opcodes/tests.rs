//! The programs next to cairo-air's components: their columns, and the lookups of a row.

use std::collections::BTreeMap;

use cairo_air::verifier::RelationUse;
use cairo_run::{Pages, State, StatesByOpcode};
use gpu_hal::ir::{RowEffect, RowKind};

use super::super::blake;
use super::super::machine::{ComponentProgram, Counter};
use crate::witness::tests::{change_cell, small};

/// Uses of a row by table, from cairo-air. Relations of tables with several columns differ in a last letter.
fn published(uses: &[RelationUse]) -> BTreeMap<String, u64> {
    let mut by_table = BTreeMap::new();
    for RelationUse { relation_id, uses } in uses {
        let without_letter = relation_id.strip_suffix(char::is_uppercase).and_then(|id| id.strip_suffix('_'));
        let relation = without_letter.unwrap_or(relation_id);
        *by_table.entry(relation.to_owned()).or_default() += uses;
    }
    by_table
}

/// cairo-air's name for the relation of a counter, without a letter. A small value is looked up as a big one.
fn relation(counter: Counter) -> String {
    match counter.table() {
        None if counter == Counter::Address => "MemoryAddressToId".to_owned(),
        None => "MemoryIdToBig".to_owned(),
        Some(("blake_round_sigma", ..)) => "BlakeRoundSigma".to_owned(),
        Some((name, ..)) => name.replace("range_check", "RangeCheck").replace("verify_bitwise_xor", "VerifyBitwiseXor"),
    }
}

/// Uses of a row by table, from the program.
fn recorded(component: &ComponentProgram) -> BTreeMap<String, u64> {
    let mut by_table = BTreeMap::new();
    for effect in component.program.effects() {
        let RowEffect::Count { counter, places, .. } = effect else { continue };
        let counter = component.counters[*counter as usize];
        let RowKind::Words(words) = component.program.nodes()[places.index()].kind else { continue };
        // A use of an id counts at one of two counters.
        let uses = if counter == Counter::Small { 0 } else { u64::from(words) };
        *by_table.entry(relation(counter)).or_default() += uses;
    }
    by_table
}

/// Relations whose uses programs do not count: the host counts instructions, the others are lists.
const NOT_COUNTED: [&str; 5] = ["Opcodes", "VerifyInstruction", "BlakeRound", "BlakeG", "TripleXor32"];

macro_rules! components {
    ($($module:ident::$name:ident),+ $(,)?) => {
        [$((
            stringify!($name),
            $module::$name(),
            cairo_air::components::$name::N_TRACE_COLUMNS,
            published(&cairo_air::components::$name::RELATION_USES_PER_ROW),
        ),)+]
    };
}

#[test]
fn columns_and_uses_are_those_of_the_air() {
    use super as opcodes;
    for (name, component, columns, mut published) in components![
        opcodes::add_opcode,
        opcodes::add_opcode_small,
        opcodes::add_ap_opcode,
        opcodes::assert_eq_opcode,
        opcodes::assert_eq_opcode_imm,
        opcodes::assert_eq_opcode_double_deref,
        blake::blake_compress_opcode,
        opcodes::call_opcode_abs,
        opcodes::call_opcode_rel_imm,
        opcodes::generic_opcode,
        opcodes::jnz_opcode_non_taken,
        opcodes::jnz_opcode_taken,
        opcodes::jump_opcode_abs,
        opcodes::jump_opcode_double_deref,
        opcodes::jump_opcode_rel,
        opcodes::jump_opcode_rel_imm,
        opcodes::mul_opcode,
        opcodes::mul_opcode_small,
        opcodes::qm_31_add_mul_opcode,
        opcodes::ret_opcode,
        opcodes::verify_instruction,
        blake::blake_round,
        blake::blake_g,
        blake::triple_xor_32,
    ] {
        let component = component.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(component.program.width(), columns, "{name}");
        published.retain(|relation, _| !NOT_COUNTED.contains(&relation.as_str()));
        assert_eq!(recorded(&component), published, "{name}");
    }
}

#[test]
fn a_state_of_another_opcode_is_refused_by_name() {
    type States = fn(&mut StatesByOpcode) -> &mut Pages<State>;
    let cases: [(States, States, &str); 7] = [
        (|by| &mut by.add_opcode, |by| &mut by.assert_eq_opcode, "the two sides of an assert_eq are one value"),
        (|by| &mut by.add_opcode, |by| &mut by.assert_eq_opcode_imm, "the two sides of an assert_eq are one value"),
        (|by| &mut by.ret_opcode, |by| &mut by.call_opcode_rel_imm, "a call stores fp at ap"),
        (|by| &mut by.jnz_opcode_taken, |by| &mut by.jnz_opcode_non_taken, "a jump that is not taken is zero"),
        (|by| &mut by.jnz_opcode_non_taken, |by| &mut by.jnz_opcode_taken, "a jump that is taken is not zero"),
        (|by| &mut by.add_opcode_small, |by| &mut by.mul_opcode_small, "dst of a small product is the product"),
        (|by| &mut by.add_opcode, |by| &mut by.mul_opcode, "differ by a multiple of the prime"),
    ];
    for (from, to, claim) in cases {
        let said = small("opcodes_1", |input| {
            let by_opcode = &mut input.state_transitions.casm_states_by_opcode;
            let state = from(by_opcode)[0];
            to(by_opcode).push(state);
        });
        assert!(said.contains(claim), "{said:?} does not say {claim:?}");
    }
}

#[test]
fn a_wrong_compression_is_refused_by_name() {
    let said = small("blake_7", |input| {
        let state = input.state_transitions.casm_states_by_opcode.blake_compress_opcode[0];
        let memory = &input.memory;
        let pointer = memory.small_values[memory.address_to_id[state.ap as usize] as usize];
        change_cell(input, pointer as usize + 7);
    });
    assert!(said.contains("the result of a Blake2s compression is where ap points to"), "{said}");
}
