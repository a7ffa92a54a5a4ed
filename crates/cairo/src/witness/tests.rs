//! Runs without a witness: their errors.

use std::collections::BTreeSet;

use backend_reference::CpuReference;
use gpu_hal::CircleStark;
use prover_core::OnDevice;
use prover_core::circle::ProveError;

use super::{Size, Sizes, Witness};
use crate::AirVersion;
use crate::air_1_3::Air13;
use crate::preprocessed::Variant;
use crate::version::PublicData;
use cairo_run::{BIG_ID, Options, Run, load};

/// A compiled program of `vectors/cairo`, run.
pub(crate) fn run(program: &str) -> Run {
    let path = format!("{}/../../vectors/cairo/programs/{program}.json", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    load(&bytes, &Options::default()).unwrap().run
}

/// The error of a run that was changed.
fn refused(name: &str, variant: Variant, change: impl FnOnce(&mut Run)) -> String {
    let mut input = run(name);
    change(&mut input);
    let made = Witness::new::<Air13>(&input, variant).map_err(ProveError::from);
    let made = made.and_then(|witness| witness.tables(OnDevice::Proof, &CpuReference::<CircleStark>::new()).map(drop));
    match made.expect_err("a damaged run has no witness") {
        ProveError::Trace(fault) => fault.to_string(),
        error => panic!("another error: {error}"),
    }
}

pub(crate) fn small(name: &str, change: impl FnOnce(&mut Run)) -> String {
    refused(name, Variant::CanonicalSmall, change)
}

/// Their kernels are shipped.
#[test]
fn the_programs_of_the_vectors_have_every_component() {
    let programs =
        ["opcodes_20", "builtins_3", "blake_7", "qm31_50", "bigvals_200", "ec_op_3", "modops_5_20", "pedersen_20"];
    let runs = programs.map(run);
    let variants = [Variant::CanonicalSmall, Variant::CanonicalWithoutPedersen, Variant::Canonical];
    let sizes = runs.iter().flat_map(|run| variants.map(|variant| Sizes::new::<Air13>(run, variant)));
    let seen: BTreeSet<&str> = sizes
        .flatten()
        .flat_map(|sizes| sizes.components().iter().map(|size| size.component.name).collect::<Vec<_>>())
        .collect();
    let missing: Vec<&str> =
        Air13::COMPONENTS.iter().map(|component| component.name).filter(|name| !seen.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_claim_has_the_components_that_it_was_made_of() {
    for program in ["builtins_3", "ec_op_3"] {
        let run = run(program);
        let sizes = Sizes::new::<Air13>(&run, Variant::Canonical).unwrap();
        let components: Vec<_> = sizes.components().iter().map(Size::claimed).collect();
        let states = &run.state_transitions;
        let (initial_state, final_state) = (states.initial_state, states.final_state);
        let public = PublicData { memory: run.public_memory().unwrap(), initial_state, final_state };
        let claimed = Air13::claimed(&Air13::claim(public, &components));
        assert_eq!(format!("{claimed:?}"), format!("{components:?}"));
        assert!(claimed.iter().any(|one| one.builtin.is_some_and(|(_, start)| start > 0)));
    }
}

#[test]
fn damaged_runs_are_refused() {
    let says = |said: String, what: &str| assert!(said.contains(what), "{said:?} does not say {what:?}");
    says(small("tiny", |input| input.state_transitions.casm_states_by_opcode = Default::default()), "no step");
    says(
        small("tiny", |input| {
            input.state_transitions.casm_states_by_opcode.ret_opcode[0].pc = 1 << 20;
        }),
        "ret_opcode has the program counter 1048576",
    );
    says(small("tiny", |input| input.public_memory_addresses.push(0)), "public address 0");
    says(small("tiny", |input| input.public_memory_addresses.push(1 << 30)), "public address 1073741824");
    says(small("tiny", |input| input.memory.address_to_id[3] = 1 << 30), "address 3 has the id 0x40000000");
    says(small("tiny", |input| input.memory.small_values[0] = 1 << 72), "small value 0");
    says(small("fib_10", |input| input.memory.f252_values[0][7] = 1 << 28), "big value 0");
    let shorter = |input: &mut Run| input.builtin_segments.bitwise_builtin.as_mut().unwrap().stop_ptr -= 5;
    says(small("bitwise_40", shorter), "bitwise_builtin must hold a power of two");
    let outside = |input: &mut Run| {
        let segment = input.builtin_segments.range_check_builtin.as_mut().unwrap();
        (segment.begin_addr, segment.stop_ptr) = (segment.begin_addr + (1 << 20), segment.stop_ptr + (1 << 20));
    };
    says(small("range_check_30", outside), "inside the memory");
    says(small("ec_op_3", |_| ()), "take CanonicalWithoutPedersen");
    says(refused("pedersen_20", Variant::CanonicalWithoutPedersen, |_| ()), "take Canonical");
}

/// Gives a cell a value of its own, as others may share the one it has: the old one with the lowest bit changed.
pub(crate) fn change_cell(input: &mut Run, address: usize) {
    let memory = &mut input.memory;
    let id = memory.address_to_id[address];
    memory.address_to_id[address] = match id.checked_sub(BIG_ID) {
        Some(index) => {
            let mut value = memory.f252_values[index as usize];
            value[0] ^= 1;
            memory.f252_values.push(value);
            BIG_ID + memory.f252_values.len() as u32 - 1
        }
        None => {
            memory.small_values.push(memory.small_values[id as usize] ^ 1);
            memory.small_values.len() as u32 - 1
        }
    };
}

/// The address of the first word of c in the first instance of a mod builtin.
fn result_of_mod_builtin(input: &Run, begin: usize) -> usize {
    let value = |address: usize| match input.memory.address_to_id[address] {
        id if id < BIG_ID => input.memory.small_values[id as usize] as usize,
        id => panic!("address {address} has the id {id}"),
    };
    value(begin + 4) + value(value(begin + 5) + 2)
}

#[test]
fn results_that_are_wrong_are_refused() {
    type Segment = fn(&Run) -> usize;
    let cases: [(&str, Segment); 2] = [
        ("a + b is c", |input| input.builtin_segments.add_mod_builtin.unwrap().begin_addr),
        ("a b is c", |input| input.builtin_segments.mul_mod_builtin.unwrap().begin_addr),
    ];
    for (claim, begin) in cases {
        let said = small("modops_5_20", |input| {
            let address = result_of_mod_builtin(input, begin(input));
            change_cell(input, address);
        });
        assert!(said.contains(claim), "{said}");
    }
}
