//! `polystark cairo run --hints python`: the program runs hints in a process of its own program.

/// The suite's, of which these tests take a part.
#[path = "suite/cli/common.rs"]
#[expect(dead_code, reason = "the suite takes all of it")]
mod common;

use std::path::Path;

use common::{json, run};
use serde_json::Value;

fn vector(name: &str) -> String {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/faults/cairo0");
    vectors.join(name).to_str().unwrap().to_owned()
}

#[test]
fn programs_with_hints_of_their_own_run() {
    let input = vector("program_input.json");
    for (program, output) in [("input_for.json", &["0xb"][..]), ("input_members.json", &["0x7", "0x5"])] {
        let program = vector(program);
        let words = ["cairo", "run", &program, "--program-input", &input, "--json"];
        let refused = run(words);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(format!("{refused:?}").contains("not run without --hints python"), "{refused:?}");
        let ran = run(words.iter().chain(&["--hints", "python"]));
        assert_eq!(ran.code, 0, "{ran:?}");
        let found: Vec<Value> = json(&ran)["output"].as_array().unwrap().clone();
        assert_eq!(found, output, "{ran:?}");
    }
    let ran = run(["cairo", "run", &vector("hash_chain_print.json"), "--hints", "python"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("final: "), "{ran:?}");
}
