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
