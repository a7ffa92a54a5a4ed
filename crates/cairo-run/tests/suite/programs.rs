//! Compiled programs become the ProverInputs of the vectors.

use cairo_run::{Felt252, Kind, Loaded, Machine, Options, RunBy, load};

use super::files::{compare_prover_input, read, vector};

/// Both machines run a program, and must make the same run.
fn options(name: &str) -> Options {
    Options { name: name.into(), machine: Machine::Compare, ..Options::default() }
}

pub(crate) fn loaded(name: &str) -> Loaded {
    load(&read(&format!("cairo/programs/{name}.json")), &options(name)).unwrap()
}

fn check(name: &str, variant: &str) {
    let vector = vector(&format!("cairo/vectors/{name}.{variant}.json"));
    let loaded = loaded(name);
    assert_eq!((loaded.kind, loaded.run_by), (Kind::Compiled, RunBy::Own), "{name}");
    assert_eq!(loaded.steps as u64 + 1, vector["n_steps_vm_trace"].as_u64().unwrap(), "{name}");
    let output = &vector["claim"]["public_data"]["public_memory"]["output"];
    assert_eq!(loaded.output.len() as u64, output["len"].as_u64().unwrap(), "{name}: output");
    assert_eq!(loaded.builtins.len(), 11, "{name}: the programs take all builtins");
    compare_prover_input(name, &loaded.run, &vector);

    // The same input from a file passes the checks on what nobody vouches for, and says the same.
    let bytes = bincode1::serialize(&loaded.run).unwrap();
    let again = load(&bytes, &options(name)).unwrap();
    assert_eq!((again.kind, again.run_by), (Kind::ProverInput, RunBy::Elsewhere));
    assert_eq!(
        (again.output, again.steps, again.builtins, again.program_hash),
        (loaded.output, loaded.steps, loaded.builtins, loaded.program_hash),
        "{name}"
    );
}

#[test]
fn programs_with_small_columns() {
    for name in [
        "bigvals_200",
        "bitwise_40",
        "blake_7",
        "fib_10",
        "fib_1000",
        "memholes_100",
        "modops_5_20",
        "opcodes_1",
        "opcodes_20",
        "pedersen_20",
        "poseidon_20",
        "qm31_50",
        "range_check96_30",
        "range_check_30",
        "tiny",
    ] {
        check(name, "small");
    }
}

#[test]
fn programs_with_large_columns() {
    check("builtins_3", "canonical");
    check("ec_op_3", "wo");
}

#[test]
fn long_programs() {
    for name in ["mixed_100k", "mixed_1m", "nested_2m"] {
        check(name, "small");
    }
}

/// The output of fib_10 is what its source computes, and its hash is that of its words.
#[test]
fn output_and_program_hash() {
    let loaded = loaded("fib_10");
    let (mut a, mut b) = (1u64, 1u64);
    for _ in 0..10 {
        (a, b) = (b, a + b);
    }
    assert_eq!(loaded.output, [Felt252::from(b)]);

    // Blake2s over words of 32 bits: two for a felt below 2^63, else eight of which the first has its top bit set; the
    // most significant word first.
    use blake2::Digest;
    let program: serde_json::Value = serde_json::from_slice(&read("cairo/programs/fib_10.json")).unwrap();
    let mut hasher = blake2::Blake2s256::new();
    for word in program["data"].as_array().unwrap() {
        let felt = Felt252::from_hex(word.as_str().unwrap()).unwrap();
        let mut bytes = felt.to_bytes_be();
        let encoded = if felt < Felt252::from(1u64 << 63) {
            &bytes[24..]
        } else {
            bytes[0] |= 0x80;
            &bytes[..]
        };
        for word in encoded.chunks(4) {
            hasher.update(word.iter().rev().copied().collect::<Vec<_>>());
        }
    }
    let digest: [u8; 32] = hasher.finalize().into();
    assert_eq!(loaded.program_hash, Felt252::from_bytes_le(&digest));
}
