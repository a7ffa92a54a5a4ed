//! AIR and machine: where they differ. `addmod0` has a modulus of zero, which the machine refuses and the AIR takes;
//! docs/cairo.md lists all such inputs.

use std::path::PathBuf;

use crate::cli::common::{Ran, json, run, text};

fn fault(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults").join(name)
}

fn cairo_run(name: &str) -> Ran {
    run(["cairo", "run", text(&fault(name))])
}

/// A proof shows a run that the AIR takes. No verifier can see more.
#[test]
fn a_modulus_of_zero_has_a_proof() {
    let program = fault("addmod0.json");
    let ran = run(["cairo", "program-hash", text(&program), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let hash = json(&ran)["program_hash"].as_str().unwrap().to_owned();
    let proof = fault("addmod0.proof");
    let verified = run(["cairo", "verify", text(&proof), "--expect-program", &hash, "--json"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    assert_eq!(json(&verified)["status"], "valid");
    // The expectation is one: another program's hash is refused.
    let other = run(["cairo", "program-hash", text(&fault("addmod7.json")), "--json"]);
    let other = json(&other)["program_hash"].as_str().unwrap().to_owned();
    assert_eq!(run(["cairo", "verify", text(&proof), "--expect-program", &other]).code, 1);
}

#[test]
fn a_modulus_of_zero_is_not_run() {
    let zero = cairo_run("addmod0.json");
    assert_eq!(zero.code, 2, "{zero:?}");
    assert!(zero.stderr.contains("the modulus of add_mod_builtin is zero"), "{zero:?}");
    let wrong = cairo_run("addmod0bad.json");
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let sound = cairo_run("addmod7.json");
    assert_eq!(sound.code, 0, "{sound:?}");
}
