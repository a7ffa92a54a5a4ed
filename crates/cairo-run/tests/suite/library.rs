//! Programs that use cairo-lang's common library: their output is that of its own runner.

use std::collections::HashMap;

use cairo_run::{Options, RunBy, felt, load};

use super::files::read;

#[test]
fn programs_of_the_library_put_out_what_the_runner_of_cairo_lang_does() {
    let outputs: HashMap<String, Vec<String>> = serde_json::from_slice(&read("cairo0-library/outputs.json")).unwrap();
    for name in ["numbers", "ec_op", "secp256k1", "secp256r1", "keccak_state", "merkle"] {
        let program = read(&format!("cairo0-library/{name}.json"));
        let loaded = load(&program, &Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(loaded.run_by, RunBy::CairoVm { because: "the program has hints of Cairo 0" }, "{name}");
        let output: Vec<String> = loaded.output.iter().map(felt::text).collect();
        assert_eq!(output, outputs[name], "{name}");
    }
}
