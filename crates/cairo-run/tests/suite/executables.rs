//! Cairo 1 executables with their arguments, and ProverInputs of bootloader runs.

use cairo_run::{
    Felt252, InputError, Kind, Loaded, Machine, Options, Problem, RunBy, load, parse_arguments_file,
    parse_arguments_list,
};
use num_bigint::BigInt;

use super::files::{compare_prover_input, read, vector};

fn run(name: &str, arguments: Vec<Felt252>) -> Result<Loaded, InputError> {
    let bytes = read(&format!("cairo1/programs/{name}.executable.json"));
    load(&bytes, &Options { name: name.into(), arguments, machine: Machine::Compare, ..Options::default() })
}

fn arguments(name: &str) -> Vec<Felt252> {
    parse_arguments_file(&read(&format!("cairo1/programs/{name}.args.json"))).unwrap()
}

#[test]
fn executables_run_to_the_vectors() {
    for name in ["fib", "mix", "hashes"] {
        let vector = vector(&format!("cairo1/vectors/{name}.small.json"));
        let loaded = run(name, arguments(name)).unwrap();
        assert_eq!((loaded.kind, loaded.run_by), (Kind::Executable, RunBy::Own), "{name}");
        assert_eq!(loaded.steps as u64 + 1, vector["n_steps_vm_trace"].as_u64().unwrap(), "{name}");
        let expected = vector["program_output"].as_array().unwrap().iter();
        let expected: Vec<_> =
            expected.map(|word| Felt252::from(word.as_str().unwrap().parse::<BigInt>().unwrap())).collect();
        assert_eq!(loaded.output, expected, "{name}");
        let builtins: Vec<_> = loaded.builtins.iter().map(|(builtin, _)| builtin.to_str()).collect();
        let expected: Vec<_> =
            vector["entry_point_builtins"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        assert_eq!(builtins, expected, "{name}");
        compare_prover_input(name, &loaded.run, &vector);

        // From a file the same input passes the checks on what nobody vouches for.
        let again = load(&bincode1::serialize(&loaded.run).unwrap(), &Options::default()).unwrap();
        assert_eq!((again.output, again.program_hash), (loaded.output, loaded.program_hash), "{name}");
    }
}

#[test]
fn bootloader_runs_are_read_from_files() {
    for name in ["fib_boot", "fib_scarb", "mix_scarb"] {
        let loaded = load(&read(&format!("cairo1/inputs/{name}.bin")), &Options::default()).unwrap();
        assert_eq!(loaded.kind, Kind::ProverInput);
        compare_prover_input(name, &loaded.run, &vector(&format!("cairo1/vectors/{name}.small.json")));
        assert_eq!(loaded.output[0], Felt252::ONE, "{name}: one task");
        assert_eq!(loaded.output.len(), 1 + usize::try_from(loaded.output[1]).unwrap(), "{name}");
    }
}

/// fib(200) at the end of the task's output equals the executable's own result.
#[test]
fn bootloader_and_standalone_say_the_same() {
    let task = load(&read("cairo1/inputs/fib_boot.bin"), &Options::default()).unwrap();
    let standalone = run("fib", arguments("fib")).unwrap();
    assert_eq!(task.output[3..], standalone.output);
}

#[test]
fn a_prover_input_in_json_may_lack_ec_op() {
    let loaded = run("fib", arguments("fib")).unwrap();
    let mut json = serde_json::to_value(&loaded.run).unwrap();
    json["builtin_segments"].as_object_mut().unwrap().remove("ec_op_builtin").unwrap();
    let again = load(&serde_json::to_vec_pretty(&json).unwrap(), &Options::default()).unwrap();
    compare_prover_input("fib", &again.run, &vector("cairo1/vectors/fib.small.json"));
}

#[test]
fn panics_are_named() {
    let message = |name: &str, list: &str| {
        let error = run(name, parse_arguments_list(list).unwrap()).unwrap_err();
        let Problem::Failed(failure) = *error.problem else { panic!("{error}") };
        assert!(failure.pc.is_some());
        failure.panic.unwrap_or_else(|| panic!("{name}: {} is no panic", failure.message))
    };
    assert_eq!(message("fib", ""), ["'Failed to deserialize param #0'"]);
    assert_eq!(message("fib", "1, 2"), ["'Input too long for params.'"]);
}

#[test]
fn arguments_are_read_exactly() {
    let felts = |list: &[i64]| list.iter().map(|n| Felt252::from(*n)).collect::<Vec<_>>();
    assert_eq!(parse_arguments_list("1, -2,0x10").unwrap(), felts(&[1, -2, 16]));
    assert_eq!(parse_arguments_list("  ").unwrap(), felts(&[]));
    assert_eq!(parse_arguments_file(br#"["0xc8", "0x0"]"#).unwrap(), felts(&[200, 0]));
    let prime = "0x800000000000011000000000000000000000000000000000000000000000001";
    let largest = format!("{}0", prime.strip_suffix('1').unwrap());
    assert_eq!(parse_arguments_list(&largest).unwrap(), felts(&[-1]));
    for list in
        [prime, "1,", ",", "x", "0x", "1 2", "--1", "0xg", "1.5", &"9".repeat(100), &format!("-{}", "9".repeat(77))]
    {
        assert!(matches!(parse_arguments_list(list), Err(Problem::Arguments(_))), "{list}");
    }
    // Decimal, longer than a machine word; with zeros before; behind a byte-order mark.
    let large = "3618502788666131213697322783095070105623107215331596699973092056135872020480";
    for file in [
        format!("[{large}]"),
        format!("[\"{large}\" ]"),
        "\u{feff}[-1]".to_owned(),
        format!(" [\"0x{}{}\"]\n", "0".repeat(100), largest.strip_prefix("0x").unwrap()),
    ] {
        assert_eq!(parse_arguments_file(file.as_bytes()).unwrap(), felts(&[-1]), "{file}");
    }
    assert_eq!(parse_arguments_file(b"[10, \"11\", \"0xc\"]").unwrap(), felts(&[10, 11, 12]));
    assert_eq!(parse_arguments_file(b" [ ]").unwrap(), felts(&[]));
    for file in [
        r#"["-0x1"]"#,
        "{}",
        "",
        r#"["0x"]"#,
        "[0xc8]",
        "[1.5]",
        "[1e3]",
        "[1,]",
        "[null]",
        "[[1]]",
        "[\"1\", \"",
        &format!("[\"{prime}\"]"),
        &format!("[{}]", "9".repeat(77)),
        &format!("[\"0x{}\"]", "0".repeat(1 << 20)),
    ] {
        let problem = parse_arguments_file(file.as_bytes());
        assert!(matches!(&problem, Err(Problem::Arguments(why)) if why.len() < 400), "{file}: {problem:?}");
    }
    // Only an executable takes arguments.
    let error = load(&read("cairo/programs/fib_10.json"), &Options { arguments: felts(&[1]), ..Options::default() });
    assert!(matches!(*error.unwrap_err().problem, Problem::Arguments(_)));
}
