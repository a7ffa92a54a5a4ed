//! Every column of every component, next to the reference prover's.

use backend_cpu::Cpu;
use backend_emulated::Emulated;
use backend_reference::CpuReference;
use cairo::air_1_3::Air13;
use cairo::witness::tables::{self, Elements};
use cairo::witness::{Sizes, Witness, WitnessError};
use field::M31;
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::OnDevice;
use prover_core::circle::ProveError;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::files::{sizes, vector};

#[test]
fn rows_are_as_many_as_those_of_the_reference_prover() {
    for name in [
        "bigvals_200.small",
        "bitwise_40.small",
        "blake_7.small",
        "builtins_3.canonical",
        "ec_op_3.canonical",
        "ec_op_3.wo",
        "fib_10.canonical",
        "fib_10.small",
        "fib_1000.small",
        "fib_1000.wo",
        "memholes_100.small",
        "mixed_100k.small",
        "mixed_1m.small",
        "modops_5_20.small",
        "nested_2m.small",
        "opcodes_1.canonical",
        "opcodes_1.small",
        "opcodes_20.small",
        "pedersen_20.canonical",
        "pedersen_20.small",
        "poseidon_20.small",
        "qm31_50.small",
        "range_check96_30.small",
        "range_check_30.small",
        "tiny.small",
    ] {
        let (input, vector) = vector(name);
        assert_eq!(sizes(&Sizes::new::<Air13>(&input, vector.preprocessed_variant).unwrap()), vector.sizes(), "{name}");
    }
}

fn digest(column: &[M31]) -> String {
    let bytes: Vec<u8> = column.iter().flat_map(|element| element.value().to_le_bytes()).collect();
    hex::encode(Sha256::digest(bytes))
}

/// The witness of a program, made by a backend, has the digests of the vector.
fn check<B: StarkBackend<P = CircleStark>>(backend: &B, name: &str) {
    let (input, vector) = vector(name);
    let witness = Witness::new::<Air13>(&input, vector.preprocessed_variant).unwrap();
    assert_eq!(sizes(witness.sizes()), vector.sizes(), "{name}");
    let tables = witness.tables(OnDevice::Proof, backend).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(tables.len(), vector.components().len());
    let mut wrong = Vec::new();
    for (table, component) in tables.iter().zip(vector.components()) {
        let shape = (table.width, table.log_height);
        assert_eq!(shape, (component.main_sha256.len(), component.log_size), "{name}: {}", component.name);
        let values = backend.download(table.as_ref(), 0..table.height()).unwrap();
        let columns: Vec<_> = values.par_chunks(table.height()).map(digest).collect();
        let differing = columns.iter().zip(&component.main_sha256).enumerate().filter(|(_, (a, b))| a != b);
        let differing: Vec<_> = differing.map(|(column, _)| column).collect();
        if !differing.is_empty() {
            wrong.push((&component.name, differing));
        }
    }
    assert!(wrong.is_empty(), "{name}: columns that differ: {wrong:?}");
}

fn on_cpu(threads: usize, name: &str) {
    check(&Cpu::<CircleStark>::with_threads(threads).unwrap(), name);
}

macro_rules! tests {
    ($check:path: $($test:ident $name:literal)+) => {$(
        #[test]
        fn $test() {
            $check($name);
        }
    )+};
}

fn on_reference(name: &str) {
    check(&CpuReference::<CircleStark>::new(), name);
}

fn on_cpus(name: &str) {
    on_cpu(1, name);
    on_cpu(2, name);
}

tests! {
    on_reference:
    tiny_on_reference "tiny.small"
    fib_10_on_reference "fib_10.small"
    fib_10_canonical_on_reference "fib_10.canonical"
    fib_1000_on_reference "fib_1000.wo"
    many_opcodes_on_reference "opcodes_20.small"
    opcodes_on_reference "opcodes_1.small"
    qm31_on_reference "qm31_50.small"
    blake_on_reference "blake_7.small"
    bitwise_on_reference "bitwise_40.small"
    range_check_on_reference "range_check_30.small"
    range_check96_on_reference "range_check96_30.small"
    mod_builtins_on_reference "modops_5_20.small"
    memory_holes_on_reference "memholes_100.small"
    big_values_on_reference "bigvals_200.small"
    poseidon_on_reference "poseidon_20.small"
    pedersen_on_reference "pedersen_20.small"
    ec_op_on_reference "ec_op_3.wo"
}

tests! {
    on_cpus:
    tiny_on_cpu "tiny.small"
    fib_10_on_cpu "fib_10.small"
    fib_1000_on_cpu "fib_1000.small"
    many_opcodes_on_cpu "opcodes_20.small"
    opcodes_on_cpu "opcodes_1.canonical"
    qm31_on_cpu "qm31_50.small"
    blake_on_cpu "blake_7.small"
    bitwise_on_cpu "bitwise_40.small"
    range_check_on_cpu "range_check_30.small"
    range_check96_on_cpu "range_check96_30.small"
    mod_builtins_on_cpu "modops_5_20.small"
    memory_holes_on_cpu "memholes_100.small"
    big_values_on_cpu "bigvals_200.small"
    poseidon_on_cpu "poseidon_20.small"
    pedersen_on_cpu "pedersen_20.small"
    ec_op_on_cpu "ec_op_3.canonical"
    a_hundred_thousand_steps_on_cpu "mixed_100k.small"
    // Generic instructions whose result and destination differ in bit 28.
    random_1_on_cpu "random/1.small"
}

fn on_emulated(name: &str) {
    check(&Emulated::<CircleStark>::new(backend_emulated::NAME, backend_emulated::device().unwrap()).unwrap(), name);
}

tests! {
    on_emulated:
    tiny_on_emulated_gpu "tiny.small"
    many_opcodes_on_emulated_gpu "opcodes_20.small"
    blake_on_emulated_gpu "blake_7.small"
    mod_builtins_on_emulated_gpu "modops_5_20.small"
    poseidon_on_emulated_gpu "poseidon_20.small"
    ec_op_on_emulated_gpu "ec_op_3.wo"
}

/// The error of a backend about a run in which an instruction reads beyond the memory.
fn of_damaged<B: StarkBackend<P = CircleStark>>(backend: &B) -> String {
    let (mut input, vector) = vector("tiny.small");
    let states = &mut input.state_transitions.casm_states_by_opcode.ret_opcode;
    states.last_mut().unwrap().fp = 1 << 30;
    let witness = Witness::new::<Air13>(&input, vector.preprocessed_variant).unwrap();
    match witness.tables(OnDevice::Proof, backend) {
        Err(ProveError::Trace(error)) => match error.downcast_ref() {
            Some(WitnessError::Rows { component, error }) => format!("{component}: {}", error.detail),
            _ => panic!("another error: {error}"),
        },
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("no error"),
    }
}

#[test]
fn a_damaged_run_is_refused_in_the_same_words_whether_programs_are_waited_for_or_not() {
    let expected = of_damaged(&CpuReference::<CircleStark>::new());
    assert!(expected.starts_with("ret_opcode: row ") && expected.contains("reads row"), "{expected}");
    assert_eq!(of_damaged(&Cpu::<CircleStark>::new()), expected);
    let device = backend_emulated::device().unwrap();
    assert_eq!(of_damaged(&Emulated::<CircleStark>::new(backend_emulated::NAME, device).unwrap()), expected);
}

#[test]
fn tables_are_the_same_in_pieces_and_name_the_first_wrong_entry() {
    let (mut input, _) = vector("bigvals_200.small");
    let all = |make: &Elements<'_>, elements: usize| {
        let mut all = vec![M31::new(0); elements];
        make(0, &mut all);
        all
    };
    let addresses = 1 << tables::log_addresses(&input);
    for (made, elements) in [
        (tables::address_to_id(&input).unwrap(), addresses),
        (tables::big(&input).unwrap(), 10 << tables::log_big(&input)),
        (tables::small(&input).unwrap(), 3 << tables::log_small(&input)),
    ] {
        let whole = all(&made, elements);
        for length in [3, 64, elements - 1] {
            let mut pieces = vec![M31::new(7); elements];
            pieces.chunks_mut(length).enumerate().for_each(|(number, piece)| made(number * length, piece));
            assert!(pieces == whole, "{elements} elements by {length}");
        }
    }
    let ids = &mut input.memory.address_to_id;
    let last = ids.len() - 1;
    let wrong = (1 << 30) - 7;
    // Row 0 is no address.
    for address in [0, last, last - 1] {
        ids[address] = wrong;
    }
    let found = tables::address_to_id(&input).err().map(|error| error.to_string());
    let expected = WitnessError::Id { address: last - 1, id: wrong }.to_string();
    assert_eq!(found, Some(expected));
    let values = &mut input.memory.f252_values;
    let index = values.len() - 2;
    values[index][7] = 1 << 28;
    values[index + 1][7] = 1 << 30;
    assert!(matches!(tables::big(&input), Err(WitnessError::BigValue { index: found }) if found == index));
    input.memory.small_values[3] = 1 << 72;
    assert!(matches!(tables::small(&input), Err(WitnessError::SmallValue { index: 3 })));
}

/// With the large table of points.
#[test]
fn windows_of_18_bits_on_cpu() {
    on_cpu(2, "pedersen_20.canonical");
    on_cpu(2, "builtins_3.canonical");
}

#[test]
fn a_million_steps_on_cpu() {
    on_cpu(2, "mixed_1m.small");
}

/// A component of 2^21 rows, above the fixed tables.
#[test]
fn two_million_steps_on_cpu() {
    on_cpu(2, "nested_2m.small");
}
