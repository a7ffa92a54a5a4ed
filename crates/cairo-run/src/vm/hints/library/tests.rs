//! Programs of the library whose hints take values that a program's own hint has left: their output equals cairo-lang's
//! runner's.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::dict_manager::DictManager;
use cairo_vm::hint_processor::hint_processor_definition::HintReference;
use cairo_vm::serde::deserialize_program::ApTracking;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::*;
use crate::Options;
use crate::felt;
use crate::vm::bounds::{Bounds, Budget};
use crate::vm::compiled;
use crate::vm::load::trusted;
use crate::vm::vm_memory::VmMemory;
use crate::{Kind, Problem};

fn read(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cairo0-library").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The output of a program that begins with a scope.
fn output(name: &str, scopes: ExecutionScopes) -> Result<Vec<String>, Problem> {
    let program = compiled::parsed(&read(&format!("{name}.json")))?;
    let builtins: Vec<_> = program.iter_builtins().copied().collect();
    let run = compiled::run_in(&program, &builtins, &Options::default(), scopes, &mut String::new())?;
    Ok(trusted(Kind::Compiled, run)?.output.iter().map(felt::text).collect())
}

fn expected(name: &str) -> Vec<String> {
    let outputs: HashMap<String, Vec<String>> = serde_json::from_slice(&read("outputs.json")).unwrap();
    outputs[name].clone()
}

fn failure(name: &str, scopes: ExecutionScopes) -> String {
    match output(name, scopes) {
        Err(Problem::Failed(failure)) => failure.message,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_leaf_of_a_merkle_tree_is_updated() {
    let path = |siblings: &[u32]| {
        let mut scopes = ExecutionScopes::new();
        scopes.insert_value("auth_path", siblings.iter().map(|number| (*number).into()).collect::<Vec<Felt252>>());
        scopes
    };
    assert_eq!(output("merkle_path", path(&[111, 222, 333])).unwrap(), expected("merkle_path"));
    assert!(failure("merkle_path", path(&[222, 333])).contains("shorter"));
    assert!(failure("merkle_path", path(&[0, 111, 222, 333])).contains("too many"));
    assert!(failure("merkle_path", ExecutionScopes::new()).contains("auth_path"));
}

#[test]
fn leaves_of_patricia_trees_are_updated() {
    let hex: HashMap<String, Vec<String>> = serde_json::from_slice(&read("patricia.preimage.json")).unwrap();
    let parsed = |text: &String| felt::parse(text).unwrap();
    let preimage: HashMap<_, Vec<_>> =
        hex.iter().map(|(node, parts)| (parsed(node), parts.iter().map(parsed).collect())).collect();
    let scopes = |preimage: HashMap<_, _>| {
        let mut scopes = ExecutionScopes::new();
        scopes.insert_value(tree::PREIMAGE, Rc::new(preimage) as tree::Preimage);
        scopes
    };
    assert_eq!(output("patricia", scopes(preimage.clone())).unwrap(), expected("patricia"));
    assert!(failure("patricia", scopes(HashMap::new())).contains("no preimage"));
    // If any node is missing, the program fails, or none of its hints asked for it.
    for node in preimage.keys().take(20) {
        let mut less = preimage.clone();
        less.remove(node);
        if let Ok(output) = output("patricia", scopes(less)) {
            assert_eq!(output, expected("patricia"));
        }
    }
}

/// Variables of hints that are pointers, and others.
const POINTERS: &[&str] = &[
    "array_ptr",
    "blake2s_ptr_end",
    "data",
    "dest_ptr",
    "dict_accesses",
    "dict_accesses_end",
    "dict_ptr",
    "elm_ptr",
    "input",
    "inputs",
    "keccak_ptr",
    "keccak_ptr_end",
    "output",
    "packed_values",
    "range_check_ptr",
    "set_end_ptr",
    "set_ptr",
    "src_ptr",
    "unpacked_u32s",
    "current_hash",
    "felt_array",
    "hash_ptr",
    "m_bit_unpacking",
    "new_node_hash",
    "prev_node_hash",
    "all_encodings",
    "selected_encodings",
    "sha256_ptr_end",
    "siblings",
    "squashed_dict_end",
    "squashed_dict_start",
    "update_ptr",
];
const NUMBERS: &[&str] = &[
    "a",
    "b",
    "base",
    "div",
    "edge",
    "bit",
    "elm_size",
    "height",
    "index",
    "key",
    "input_len",
    "keccak_builtin_state",
    "len",
    "length",
    "n_accesses",
    "n_bytes",
    "packed_values_len",
    "ptr_diff",
    "m",
    "n",
    "n_elms",
    "n_selected_builtins",
    "n_updates",
    "new_length",
    "new_root",
    "node",
    "path",
    "prev_root",
    "value",
    "word",
];

#[test]
fn huge_operands_end_at_once() {
    let huge: Felt252 = (1u64 << 40).into();
    for except in [""].iter().chain(NUMBERS) {
        let known = KNOWN.iter().copied().flatten().map(|(text, hint)| (digest(text), *hint));
        for (digest, function) in HINTS.iter().copied().chain(known) {
            // The frame, then the cells that pointers point to. A cell that a hint sets has no value yet.
            let mut vm = VirtualMachine::new(false, false);
            let [_, frame, data] = [(); 3].map(|()| vm.add_memory_segment());
            let mut ids = Vec::new();
            for (index, name) in POINTERS.iter().chain(NUMBERS).enumerate() {
                let small = Felt252::from(if *name == *except { 2 } else { 0 });
                let value = if POINTERS.contains(name) {
                    data.into()
                } else {
                    MaybeRelocatable::Int(if small == Felt252::ZERO { huge } else { small })
                };
                vm.insert_value((frame + index).unwrap(), value).unwrap();
                ids.push((*name, HintReference::new_simple(index as i32)));
            }
            vm.load_data(data, &vec![huge.into(); 100]).unwrap();
            let mut scopes = ExecutionScopes::new();
            scopes.insert_value("n_selected_builtins", huge);
            scopes.insert_value("auth_path", vec![huge]);
            scopes.insert_value(tree::PREIMAGE, Rc::new(HashMap::from([(huge, vec![huge; 3])])) as tree::Preimage);
            scopes.insert_value("dict_manager", Rc::new(RefCell::new(DictManager::new())));
            let bounds = Bounds { steps: 10_000, addresses: 10_000, memory: Some(100 << 20), ..Bounds::default() };
            let mut memory = VmMemory { vm: &mut vm, budget: &mut Budget::new(bounds) };
            let ids = Variables::new(ids.iter().map(|(name, cell)| (*name, cell)), &ApTracking::default(), Vec::new());
            let mut at = At { vm: &mut memory, scopes: &mut scopes, ids: &ids };
            let start = Instant::now();
            let _ = function(&mut at);
            assert!(start.elapsed() < Duration::from_secs(1), "{digest:x} with {except} small");
        }
    }
}

#[test]
fn digests_are_of_the_text() {
    let digests: HashSet<_> = HINTS.iter().map(|(digest, _)| digest).collect();
    assert_eq!(digests.len(), HINTS.len());
    assert!(digests.contains(&digest("assert case == 'leaf'")));
}
