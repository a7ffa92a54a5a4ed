//! The machine that runs a program, and why it was not ours.

use cairo_run::{Loaded, Machine, Options, RunBy, load};
use serde_json::Value;

use super::assembler::*;

const JUMP: u128 = 1 << 7;

fn run(program: &Value, options: &Options) -> Loaded {
    load(&serde_json::to_vec(program).unwrap(), options).unwrap()
}

#[test]
fn our_machine_runs_what_it_can() {
    let program = output_program(&[&push_imm(5), &store(-3), &push_fp_plus(-3, 1), &ret()]);
    let by = |options: Options| run(&program, &options).run_by;
    assert_eq!(by(Options::default()), RunBy::Own);
    assert_eq!(by(Options { machine: Machine::Compare, ..Options::default() }), RunBy::Own);
    for options in [
        Options { machine: Machine::CairoVm, ..Options::default() },
        Options { secure: true, ..Options::default() },
        Options { resources: true, ..Options::default() },
    ] {
        assert!(matches!(by(options), RunBy::CairoVm { because } if because.contains("asked for")));
    }
}

/// The first word of the output is `ret`, and is called.
#[test]
fn code_outside_of_the_program_is_run() {
    let ret_word = i64::from_str_radix(ret()[0].trim_start_matches("0x"), 16).unwrap();
    let call = [word([0, 1, -3], OP1_FP | JUMP | CALL)];
    let program = output_program(&[&push_imm(ret_word), &store(-3), &call, &push_fp_plus(-3, 1), &ret()]);
    for machine in [Machine::Own, Machine::Compare] {
        let loaded = run(&program, &Options { machine, ..Options::default() });
        assert_eq!(loaded.run_by, RunBy::Own);
        assert_eq!((loaded.output.len(), loaded.steps), (1, 8));
    }
}

/// As cairo-lang's runner, neither machine takes a program that leaves a scope open.
#[test]
fn a_scope_that_is_left_open_is_refused() {
    let mut program = output_program(&[&push_fp(-3), &ret()]);
    let tracking = serde_json::json!({"ap_tracking": {"group": 0, "offset": 0}, "reference_ids": {}});
    let hint = |code: &str| serde_json::json!({"code": code, "accessible_scopes": [], "flow_tracking_data": tracking});
    program["hints"] = serde_json::json!({"6": [hint("vm_enter_scope()")]});
    for machine in [Machine::Own, Machine::Compare] {
        let refused = load(&serde_json::to_vec(&program).unwrap(), &Options { machine, ..Options::default() });
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("exit_scope"), "{error}");
    }
    program["hints"] = serde_json::json!({"6": [hint("vm_enter_scope()"), hint("vm_exit_scope()")]});
    assert_eq!(run(&program, &Options::default()).run_by, RunBy::Own);
}
