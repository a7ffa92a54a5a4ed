//! Runs and vectors of `vectors/cairo` and `vectors/cairo1`.

use std::path::PathBuf;

use cairo::preprocessed::Variant;
use cairo::witness::Sizes;
use cairo_run::Run;
use cairo_run::{Options, load};
use serde::Deserialize;

/// The reference prover's record of a run.
#[derive(Deserialize)]
pub(crate) struct Vector {
    pub(crate) preprocessed_variant: Variant,
    proofs: Proofs,
}

#[derive(Deserialize)]
struct Proofs {
    low: Proof,
}

#[derive(Deserialize)]
struct Proof {
    components: Vec<Component>,
}

/// A component, in the order of the columns.
#[derive(Deserialize)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) log_size: u32,
    /// By column.
    pub(crate) main_sha256: Vec<String>,
}

impl Vector {
    pub(crate) fn components(&self) -> &[Component] {
        &self.proofs.low.components
    }

    /// Names and log2 of the rows.
    pub(crate) fn sizes(&self) -> Vec<(String, u32)> {
        self.components().iter().map(|component| (component.name.clone(), component.log_size)).collect()
    }
}

/// The same of a run.
pub(crate) fn sizes(of: &Sizes) -> Vec<(String, u32)> {
    of.components().iter().map(|size| (size.name(), size.log_size)).collect()
}

fn read(path: &str) -> Vec<u8> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path);
    std::fs::read(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

fn run_file(path: &str) -> Run {
    let options = Options { name: path.into(), ..Options::default() };
    load(&read(path), &options).unwrap().run
}

/// A compiled program, run.
pub(crate) fn run(program: &str) -> Run {
    run_file(&format!("cairo/programs/{program}.json"))
}

/// A run and its vector; the name has the program and the preprocessed columns: `fib_10.small`. Programs that a test
/// against the reference prover has found are in a folder of their own: `random/1.small`.
pub(crate) fn vector(name: &str) -> (Run, Vector) {
    let (program, _) = name.split_once('.').unwrap();
    let (run, folder) = match program.starts_with("random/") {
        true => (run_file(&format!("cairo/{program}.json")), "cairo"),
        false => (run(program), "cairo/vectors"),
    };
    (run, serde_json::from_slice(&read(&format!("{folder}/{name}.json"))).unwrap())
}
