//! Hints of programs' own, in Python. What they write is computed here anew, or by hand.

mod attacks;
mod library;
mod processes;
mod programs;
mod refusals;

use std::path::PathBuf;

use cairo_run::{Kind, Loaded, Machine, Options, OwnHints, Problem, RunBy, load};
use serde_json::{Value, json};

use super::assembler::*;
pub(super) use library::judge;

/// The program that serves hints: the example of this crate.
fn server() -> PathBuf {
    let suite = std::env::current_exe().unwrap();
    let server = suite.parent().and_then(|folder| folder.parent()).unwrap().join("examples/python_hints");
    assert!(server.is_file(), "build {} first: cargo test builds it with the examples", server.display());
    server
}

/// A program whose hint stands before the first word of main, and which puts out the cells `[fp]..[fp + outputs]`. The
/// hint knows `a`, `b` and `c`, felts in the first three of them, `p`, a structure in the first two, and `list`, a
/// pointer to such structures in the fourth, and `here`, where `p` is.
fn with_hints(hints: &[&str], outputs: i32) -> Value {
    let mut main = vec![advance(outputs.max(4).into()).to_vec()];
    main.extend((0..outputs).map(|i| vec![word([i, -3, i], DST_FP | OP0_FP | ASSERT)]));
    main.extend([push_fp_plus(-3, outputs.into()).to_vec(), ret().to_vec()]);
    let words: Vec<&[String]> = main.iter().map(Vec::as_slice).collect();
    let mut program = output_program(&words);
    let tracking = json!({"group": 0, "offset": 0});
    let reference = |value: &str| json!({"ap_tracking_data": tracking, "pc": 6, "value": value});
    let references = ["[cast(fp, felt*)]", "[cast(fp + 1, felt*)]", "[cast(fp + 2, felt*)]", "[cast(fp, __main__.P*)]"];
    let references: Vec<_> = references
        .into_iter()
        .chain(["[cast(fp + 3, __main__.P**)]", "cast(fp, __main__.P*)"])
        .map(reference)
        .collect();
    program["reference_manager"]["references"] = json!(references);
    let names = ["a", "b", "c", "p", "list", "here"].into_iter().enumerate();
    let ids: serde_json::Map<_, _> = names.map(|(i, name)| (format!("__main__.main.{name}"), json!(i))).collect();
    let hint = |code: &&str| {
        json!({"code": code, "accessible_scopes": ["__main__", "__main__.main"],
               "flow_tracking_data": {"ap_tracking": tracking, "reference_ids": ids}})
    };
    program["hints"] = json!({"6": hints.iter().map(hint).collect::<Vec<_>>()});
    let member = |offset| json!({"cairo_type": "felt", "offset": offset});
    program["identifiers"]["__main__.P"] = json!(
        {"type": "struct", "full_name": "__main__.P", "size": 2, "members": {"x": member(0), "y": member(1)}});
    program["identifiers"]["__main__.K"] = json!({"type": "const", "value": 7});
    program
}

fn options(input: Option<Value>) -> Options {
    let (own_hints, machine) = (OwnHints::Python(server()), Machine::Compare);
    Options { own_hints, machine, program_input: input, kind: Some(Kind::Compiled), ..Options::default() }
}

/// In both machines, which must agree.
fn run(program: &Value, options: &Options) -> Result<Loaded, String> {
    let loaded = load(&serde_json::to_vec(program).unwrap(), options);
    let loaded = loaded.map_err(|error| match *error.problem {
        Problem::Failed(failure) => {
            assert_eq!(failure.pc, Some(7), "{failure}");
            failure.to_string()
        }
        problem => problem.to_string(),
    })?;
    if options.machine != Machine::CairoVm {
        assert_eq!(loaded.run_by, RunBy::Own);
    }
    Ok(loaded)
}

/// The fault of a hint.
fn fault(hint: &str, options: &Options) -> String {
    run(&with_hints(&[hint], 0), options).expect_err(hint)
}
