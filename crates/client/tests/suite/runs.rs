//! Runs in the privacy bootloader, and runs that have no proof.

use client::{ClientRun, Error, UnfitError};
use serde_json::Value;

use crate::files;

#[test]
fn runs_are_the_ones_of_the_reference() {
    let runs: Value = serde_json::from_slice(&files::read("pies/runs.json")).unwrap();
    for name in ["transfers_10", "fib", "hashes", "ec_op", "keccak", "empty"] {
        let run = ClientRun::new(&files::pie(name)).unwrap();
        assert_eq!(run.output_preimage(), files::felts(&runs[name]["output_preimage"]), "{name}");
        let input = cairo_run::write_prover_input(run.run()).unwrap();
        assert_eq!(files::sha256(&input), runs[name]["prover_input_sha256"], "{name}");
    }
}

#[test]
fn runs_without_a_proof_are_refused_by_name() {
    let refused = |name: &str| match ClientRun::new(&files::pie(name)) {
        Err(Error::Unfit(error)) => error,
        Err(error) => panic!("{name}: another error: {error}"),
        Ok(_) => panic!("{name}: no error"),
    };
    let no_hash = refused("no_hash");
    assert!(
        no_hash.to_string().contains("pedersen_builtin_narrow_windows") && no_hash.to_string().contains("one Poseidon")
    );
    let UnfitError::Missing { components } = no_hash else { panic!("{no_hash}") };
    assert_eq!(components.len(), 11);
    let rc96 = refused("rc96");
    assert!(rc96.to_string().contains("range_check96_builtin"), "{rc96}");
}
