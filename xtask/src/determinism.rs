//! Determinism of all components, by facts and a solver: `xtask/determinism` says how.

use crate::{python, run};

/// cvc5 with CoCoA, without which it has no theory of finite fields. It is a tool of this check, under the GPL; nothing
/// of ours links it or ships it.
const SOLVER: &str = "cvc5-gpl==1.4.2";

/// Exports all AIRs, and asks about each of their components; with `all` every constraint is left out once.
pub(crate) fn ask(all: bool) -> crate::Result {
    let environment = python::environment("determinism", &[SOLVER.to_owned()])?;
    let folder = run::target_directory("determinism-airs");
    let folder = folder.to_str().ok_or("the target folder's path is not UTF-8")?;
    run::example("airs_as_json", &[folder], &[])?;
    let script = run::root().join("xtask/determinism/determinism.py");
    let arguments = [script.to_string_lossy().into_owned(), folder.to_owned()];
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if all {
        arguments.push("--all");
    }
    // The same order of sets in each run.
    let variables = [("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONHASHSEED", "0")];
    run::program(&environment.join("bin/python").to_string_lossy(), &arguments, &variables)
}
