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

/// Bitwise takes pointers that the program writes, in cairo-vm alone; their addresses must have the results.
#[test]
fn pointers_in_bitwise_are_left_to_cairo_vm() {
    let instance = |xor: i64| {
        let store = |offset| [word([-1, -3, offset], OP0_FP | ASSERT)];
        let [x, y, and, or] = [0, 1, 2, 4].map(store);
        let xor = [&push_imm(xor)[..], &store(3)].concat();
        let words = [&push_fp(-4)[..], &x, &y, &and, &or, &xor, &push_fp(-4), &push_fp_plus(-3, 5), &ret()].concat();
        program(&["output", "bitwise"], 2, &[&words])
    };
    let loaded = run(&instance(0), &Options::default());
    assert!(matches!(loaded.run_by, RunBy::CairoVm { because } if because.contains("bitwise")));
    for machine in [Machine::Own, Machine::Compare] {
        let options = Options { machine, ..Options::default() };
        let refused = load(&serde_json::to_vec(&instance(1)).unwrap(), &options).unwrap_err();
        assert!(refused.to_string().contains("bitwise has wrong results"), "{refused}");
    }
}

/// `ap += ` a number of the stack, far above all cells that were written, and calls there.
#[test]
fn ap_goes_far_beyond_the_cells() {
    let add = [word([-1, -1, 0], DST_FP | OP0_FP | OP1_FP | AP_ADD)];
    let call = [word([0, 1, 1], IMM | REL | CALL), imm(6)];
    let main = [&push_imm(100_000)[..], &add, &call, &push_imm(7), &push_fp(-3), &ret(), &push_imm(8), &ret()];
    let program = output_program(&main.each_ref().map(|words| words.to_vec()).each_ref().map(|words| &words[..]));
    for machine in [Machine::Own, Machine::Compare] {
        let loaded = run(&program, &Options { machine, ..Options::default() });
        assert_eq!(loaded.run_by, RunBy::Own);
    }
    let bounded = Options { max_addresses: 50_000, ..Options::default() };
    let refused = load(&serde_json::to_vec(&program).unwrap(), &bounded).unwrap_err().to_string();
    assert!(refused.contains("addresses"), "{refused}");
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
