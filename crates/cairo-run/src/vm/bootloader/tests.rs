//! Single hints of bootloaders.

use std::path::Path;
use std::sync::Arc;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::hint_processor_definition::HintReference;
use cairo_vm::serde::deserialize_program::ApTracking;
use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::hints::add_topology;
use super::simulate::{ec_op, ecdsa, inverses, keccak};
use super::{Bootloader, NAME, TaskHash, TaskSource, TaskSpec, Tasks};
use crate::pie::read;
use crate::vm::bounds::{Bounds, Budget};
use crate::vm::hints::library::{At, Hint, Variables};
use crate::vm::vm_memory::VmMemory;

/// A machine whose frame begins with these cells.
fn machine(cells: &[MaybeRelocatable]) -> VirtualMachine {
    let mut vm = VirtualMachine::new(false, false);
    let [_, frame] = [(); 2].map(|()| vm.add_memory_segment());
    vm.load_data(frame, cells).unwrap();
    vm
}

/// Runs a hint whose variables are the cells of the frame.
fn run(
    vm: &mut VirtualMachine,
    scopes: &mut ExecutionScopes,
    hint: Hint,
    names: &[&str],
    order: u32,
) -> Result<(), HintError> {
    let references: Vec<_> =
        names.iter().zip(0..).map(|(name, cell)| (*name, HintReference::new_simple(cell))).collect();
    let constants = vec![("StarkCurve.ORDER".to_owned(), order.into())];
    let references = references.iter().map(|(name, reference)| (*name, reference));
    let ids = Variables::new(references, &ApTracking::default(), constants);
    let bounds = Bounds { steps: 1000, addresses: 1000, ..Bounds::default() };
    hint(&mut At { vm: &mut VmMemory { vm, budget: &mut Budget::new(bounds) }, scopes, ids: &ids })
}

#[test]
fn no_number_has_an_inverse_modulo_0() {
    let names = ["message", "signature_r", "signature_s", "w", "wr", "wz"];
    let inverse = |order| {
        let mut vm = machine(&[1, 2, 3].map(|number: u32| Felt252::from(number).into()));
        run(&mut vm, &mut ExecutionScopes::new(), inverses, &names, order)
    };
    assert!(inverse(7).is_ok());
    assert!(inverse(0).unwrap_err().to_string().contains("ORDER is 0"));
}

#[test]
fn a_builtin_is_simulated_once() {
    let mut vm = machine(&[]);
    let simulated: [(Hint, [&str; 3]); 3] =
        [(ec_op, ["new_ec_op_ptr", "", ""]), (keccak, ["", "new_keccak_ptr", ""]), (ecdsa, ["", "", "new_ecdsa_ptr"])];
    for (hint, names) in simulated {
        assert!(run(&mut vm, &mut ExecutionScopes::new(), hint, &names, 1).is_ok(), "{names:?}");
    }
    for (hint, names) in simulated {
        let error = run(&mut vm, &mut ExecutionScopes::new(), hint, &names, 1).unwrap_err();
        assert!(error.to_string().contains("simulated already"), "{error}");
    }
    assert_eq!(vm.simulated_builtin_runners.len(), 3);
}

#[test]
fn a_task_has_one_fact_topology() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/pies/fib.zip");
    let pie = Arc::new(read(&std::fs::read(path).unwrap(), 1 << 20).unwrap());
    let tasks = vec![TaskSpec { source: TaskSource::Pie(pie), hash: TaskHash::Blake }];
    let tasks = Arc::new(Tasks { tasks, single_page: true, unpacking: None, aggregator: None });
    let bounds = Bounds { addresses: 1 << 20, ..Bounds::default() };
    let mut scopes = ExecutionScopes::new();
    scopes.insert_value(NAME, Bootloader::new(&tasks, bounds).unwrap());
    let mut vm = machine(&[Relocatable::from((0, 0)).into(), Relocatable::from((0, 3)).into()]);
    let names = ["pre_execution_builtin_ptrs", "return_builtin_ptrs"];
    assert!(run(&mut vm, &mut scopes, add_topology, &names, 1).is_ok());
    let error = run(&mut vm, &mut scopes, add_topology, &names, 1).unwrap_err();
    assert!(error.to_string().contains("a fact topology already"), "{error}");
}
