//! `polystark cairo client-verify`, `client-prove` and `inspect` on Starknet's public client proof and on CairoPIEs. A
//! program with the feature `client` alone, without a virtual machine, passes these tests, too.

/// The suite's, of which these tests take a part.
#[path = "suite/cli/common.rs"]
#[expect(dead_code, reason = "the suite takes all of it")]
mod common;

use std::fs;
use std::path::{Path, PathBuf};

use polystark::cairo_run::{Felt252, felt};
use polystark::client::{facts, file};
use serde_json::Value;
use tempfile::TempDir;

use common::{json, run, text};

fn vectors(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path)
}

/// The public proof, its facts, and its preimage, in files.
struct Public {
    _folder: TempDir,
    proof: PathBuf,
    facts: PathBuf,
    preimage: PathBuf,
    other: PathBuf,
}

fn public() -> Public {
    let folder = tempfile::tempdir().unwrap();
    let [proof, stated, preimage, other] =
        ["proof.bin", "facts.json", "preimage.json", "other.json"].map(|name| folder.path().join(name));
    let vector = fs::read(vectors("circuits/cairo_pie_10_transfers.json")).unwrap();
    let vector: Value = serde_json::from_slice(&vector).unwrap();
    let felts = vector["output_preimage"].as_array().unwrap().iter();
    let felts: Vec<Felt252> = felts.map(|text| felt::parse(text.as_str().unwrap()).unwrap()).collect();
    let written = fs::read(vectors("circuits/cairo_pie_10_transfers.proof.bin")).unwrap();
    fs::write(&proof, file::pack(&written).unwrap()).unwrap();
    let mut of_facts = facts::facts(&felts).unwrap();
    fs::write(&preimage, facts::json(&felts)).unwrap();
    fs::write(&stated, facts::json(&of_facts)).unwrap();
    of_facts[3] += Felt252::ONE;
    fs::write(&other, facts::json(&of_facts)).unwrap();
    Public { _folder: folder, proof, facts: stated, preimage, other }
}

#[test]
fn the_public_proof_states_its_facts_and_no_others() {
    let Public { proof, facts, preimage, other, .. } = &public();
    let verify = |more: &[&str]| run(["cairo", "client-verify", text(proof)].iter().chain(more));
    let ran = verify(&["--facts", text(facts), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let view = json(&ran);
    assert_eq!((&view["status"], &view["statement"]["facts"][0]), (&"valid".into(), &"0x50524f4f4631".into()));
    assert_eq!(verify(&["--preimage", text(preimage)]).code, 0);
    // Refused before the published verifier is asked.
    assert_eq!(verify(&["--facts", text(other)]).code, 1);
    let ran = verify(&["--facts", text(preimage)]);
    assert!(ran.code == 2 && ran.stderr.contains("if the list is an output preimage"), "{ran:?}");
    assert_eq!(verify(&[]).code, 2);
    assert_eq!(verify(&["--facts", text(facts), "--security", "claimed-93"]).code, 4);
    let ran = run(["cairo", "client-verify", text(preimage), "--facts", text(facts)]);
    assert!(ran.code == 2 && ran.stderr.contains("the bytes begin with"), "{ran:?}");
}

#[test]
fn a_client_proof_is_shown_and_known_by_other_commands() {
    let Public { proof, .. } = &public();
    let ran = run(["cairo", "inspect", text(proof), "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let view = json(&ran);
    assert_eq!((&view["status"], &view["unpacked_bytes"]), (&"not verified".into(), &263_796.into()));
    let ran = run(["cairo", "verify", text(proof)]);
    assert!(ran.code == 2 && ran.stderr.contains("polystark cairo client-verify"), "{ran:?}");
}

/// A program without the prover names the feature that it lacks.
#[test]
fn a_cairo_pie_without_a_proof_is_refused_by_the_component() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("proof.bin");
    for (name, component) in [("no_hash", "poseidon_builtin"), ("rc96", "range_check96_builtin")] {
        let pie = vectors(&format!("pies/{name}.zip"));
        let ran = run(["cairo", "client-prove", text(&pie), "-o", text(&proof), "--backend", "cpu"]);
        let said = if cfg!(feature = "client-prove") { component } else { "feature `client-prove`" };
        assert!(ran.code == 2 && ran.stderr.contains(said), "{ran:?}");
        assert!(!proof.exists());
    }
}
