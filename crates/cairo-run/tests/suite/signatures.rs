//! A CairoPIE that uses `ecdsa`, which the simple bootloader simulates: both machines look at the signature.

use std::sync::Arc;

use cairo_run::pie::{AdditionalData, Address, CairoPie, Cell, Metadata, Program, Resources, Segment, Value, Version};
use cairo_run::{
    BootloaderProgram, BuiltinName, Felt252, InputError, Loaded, Machine, Options, RunBy, TaskHash, TaskSource,
    TaskSpec, Tasks, load,
};

use super::assembler::*;

/// The x of a public key, a message, and a signature of it.
const KEY: &str = "0x2202275e27873286b71dae62930bbf6420d2e933bbc7cb08e09019e7218ad9c";
const MESSAGE: i64 = 2718;
const R: &str = "0x48d337ee487da6cdc93eacc5f39ddb61a3939987b13f58dc45b777540407d6f";
const S: &str = "0xf9f77266e501d9453e537a48a03d7b7fd7c3daf9d671227bcdb64708159b4b";

/// The run of a program that writes the key and the message.
fn signed(signature: [Felt252; 2]) -> CairoPie {
    let [push, _] = push_imm(0);
    let second = [word([-1, -3, 1], OP0_FP | ASSERT)];
    let words: [&[String]; 6] =
        [&[push, KEY.to_owned()], &store(-3), &push_imm(MESSAGE), &second, &push_fp_plus(-3, 2), &ret()];
    let data: Vec<Felt252> = words.concat().iter().map(|word| Felt252::from_hex_unchecked(word)).collect();
    let at = |segment, offset| Address { segment, offset };
    let pointer = |segment| Value::Pointer(at(segment, 0));
    let program = (0..).zip(&data).map(|(offset, word)| (at(0, offset), Value::Felt(*word)));
    let others = [
        (at(1, 0), pointer(2)),
        (at(1, 1), pointer(3)),
        (at(1, 2), pointer(4)),
        (at(2, 0), Value::Felt(Felt252::from_hex_unchecked(KEY))),
        (at(2, 1), Value::Felt(MESSAGE.into())),
    ];
    let memory = program.chain(others).map(|(address, value)| Cell { address, value }).collect();
    let segment = |index, size| Segment { index, size };
    CairoPie {
        version: Version::V1_1,
        metadata: Metadata {
            program_segment: segment(0, data.len() as u64),
            program: Program { data, builtins: vec![BuiltinName::Ecdsa], main: 0 },
            execution_segment: segment(1, 6),
            ret_fp_segment: segment(3, 0),
            ret_pc_segment: segment(4, 0),
            builtin_segments: vec![(BuiltinName::Ecdsa, segment(2, 2))],
            extra_segments: Vec::new(),
        },
        memory,
        resources: Resources { n_steps: 6, n_memory_holes: 0, builtin_instances: vec![(BuiltinName::Ecdsa, 1)] },
        additional_data: vec![(BuiltinName::Ecdsa, AdditionalData::Signatures(vec![(at(2, 0), signature)]))],
    }
}

fn run(signature: [Felt252; 2]) -> Result<Loaded, InputError> {
    let source = TaskSource::Pie(Arc::new(signed(signature)));
    let tasks = vec![TaskSpec { source, hash: TaskHash::Blake }];
    let tasks = Tasks { tasks, single_page: true, unpacking: None, aggregator: None };
    let options = Options { tasks: Some(Arc::new(tasks)), machine: Machine::Compare, ..Options::default() };
    load(&BootloaderProgram::Simple.json().unwrap(), &options)
}

#[test]
fn simulated_signatures_are_looked_at() {
    let [r, s] = [R, S].map(Felt252::from_hex_unchecked);
    assert_eq!(run([r, s]).unwrap().run_by, RunBy::Own);
    for wrong in [[r + Felt252::ONE, s], [r, s + Felt252::ONE], [Felt252::ZERO, s]] {
        let error = run(wrong).unwrap_err().to_string();
        assert!(error.contains("ignature"), "{error}");
    }
}
