//! Files that claim sizes which they do not have. Address space is limited by the shell, so only where that works.

use polystark::Goldilocks3;
use polystark::field::{Field, Fp3, Goldilocks};
use polystark::proof::{DeepOpening, FriDecommitment, OodTable, Opening, Proof, Statement};

use crate::common::{Proved, text};

/// Verifies a file with 512 MiB of address space.
fn code_in_little_memory(proved: &Proved, statement: &Statement) -> (Option<i32>, String) {
    let file = proved.sibling(&statement.encode().unwrap());
    let limited = "ulimit -v 524288; exec \"$0\" verify \"$1\" --min-security-bits 0";
    let output = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_polystark"), text(&file)])
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A file may claim any size. Nothing of that size may be built.
#[test]
fn claimed_sizes_take_no_memory() {
    let proved = Proved::small();
    let original = Statement::decode(&proved.bytes()).unwrap();
    for (air, parameters) in [
        ("fibonacci-rap", vec![("steps", (1 << 30) - 1)]),
        ("fibonacci-rap", vec![("steps", 1 << 29)]),
        ("read-only-memory-logup", vec![]),
        ("bit-flags", vec![]),
        ("periodic", vec![]),
        ("wide", vec![("width", 1 << 16), ("degree", 2)]),
    ] {
        let mut statement = original.clone();
        statement.log_rows = 30;
        statement.air = air.into();
        statement.parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(code_in_little_memory(&proved, &statement).0, Some(1), "{air}");
    }
}

/// As above, with a proof that has the shape which the statement asks for, so that it is looked at more closely.
#[test]
fn well_shaped_proofs_of_claimed_sizes_take_no_memory() {
    let (log_rows, layers) = (26, 25);
    let opening =
        Opening { path: vec![], path_sym: vec![], evaluations: vec![Fp3::ZERO], evaluations_sym: vec![Fp3::ZERO] };
    let zeros = vec![Goldilocks::ZERO; 2];
    let proof = Proof::<Goldilocks3> {
        trace_length: 1 << log_rows,
        main_root: [0; 32],
        aux_root: Some([0; 32]),
        trace_ood: OodTable { data: vec![Fp3::ZERO; 9], width: 3, height: 3 },
        composition_root: [0; 32],
        composition_ood: vec![Fp3::ZERO],
        fri_roots: vec![[0; 32]; layers],
        fri_last_value: Fp3::ZERO,
        fri_decommitments: vec![FriDecommitment { paths: vec![vec![]; layers], values: vec![Fp3::ZERO; layers] }],
        deep_openings: vec![DeepOpening {
            composition: opening.clone(),
            main: Opening { path: vec![], path_sym: vec![], evaluations: zeros.clone(), evaluations_sym: zeros },
            aux: Some(opening),
        }],
        nonce: None,
    };
    let proved = Proved::new("prove --air fibonacci-rap --rows 64 --queries 1 --grinding 0 --blowup 2");
    let mut statement = Statement::decode(&proved.bytes()).unwrap();
    statement.log_rows = log_rows;
    statement.proof = polystark::proof::encode(&proof);
    for steps in [(1 << 26) - 1, 1 << 25] {
        statement.parameters.insert("steps".into(), steps);
        let (code, message) = code_in_little_memory(&proved, &statement);
        assert_eq!(code, Some(1));
        assert!(message.contains("out-of-domain point"), "{message}");
    }
}
