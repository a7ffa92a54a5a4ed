//! One program for each refusal, with the place that the refusal names.

use cairo_run::{ADDRESS_BYTES, Failure, Felt252, Loaded, Machine, Options, Place, Problem, Reason, load};
use serde_json::{Value, json};

use super::assembler::*;

fn run(program: &Value) -> Result<Loaded, Problem> {
    run_with(program, &Options { max_steps: 1000, ..Options::default() })
}

/// A run that may take any addresses.
fn run_far(program: &Value) -> Result<Loaded, Problem> {
    run_with(program, &Options { max_steps: 1000, max_addresses: usize::MAX, ..Options::default() })
}

/// Both machines take a program, or refuse it.
fn run_with(program: &Value, options: &Options) -> Result<Loaded, Problem> {
    let options = Options { machine: Machine::Compare, ..options.clone() };
    load(&serde_json::to_vec(program).unwrap(), &options).map_err(|error| *error.problem)
}

fn assert_refused(program: &Value, reason: Reason, place: Place) {
    match run_far(program) {
        Err(Problem::Refused(refusal)) => {
            assert_eq!((refusal.reason, refusal.place), (reason, place), "{refusal}");
            assert!(!refusal.remedy.is_empty());
        }
        other => panic!("expected a refusal, {reason:?}; got {other:?}"),
    }
}

fn failure(program: &Value) -> Failure {
    match run(program) {
        Err(Problem::Failed(failure)) => failure,
        other => panic!("expected a failure; got {other:?}"),
    }
}

/// The shortest sound program: it returns its output pointer. The refused programs below differ from it by their fault.
#[test]
fn a_program_that_does_nothing_is_taken() {
    let loaded = run(&output_program(&[&push_fp(-3), &ret()])).unwrap();
    assert_eq!((loaded.output, loaded.steps), (vec![], 4));
    let loaded = run(&output_program(&[&push_imm(-7), &store(-3), &push_fp_plus(-3, 1), &ret()])).unwrap();
    assert_eq!(loaded.output, [Felt252::from(-7)]);
}

#[test]
fn instructions_without_a_component() {
    // The instruction under test stands at word 8, address 9.
    let refused = |instruction: String| {
        let program = output_program(&[&push_imm(5), &[instruction], &push_fp(-3), &ret()]);
        assert_refused(&program, Reason::Instruction, Place::Pc(9));
    };
    // An instruction that does nothing; an assertion whose unused op0 is not [fp - 1]; and one whose immediate's op0 is
    // not.
    refused(word([-1, -1, -1], DST_FP | OP0_FP | OP1_FP));
    refused(word([0, -2, -3], OP0_FP | OP1_FP | ASSERT | AP1));
    refused(word([0, -1, -3], OP1_FP | ASSERT | AP1));

    // `call rel [ap - 1]`: 4 words on, to a `ret`.
    let call_rel = word([0, 1, -1], CALL | REL | OP1_AP);
    let main = [push_imm(3).to_vec(), vec![call_rel], push_fp(-3).to_vec(), ret().to_vec(), ret().to_vec()];
    let main: Vec<&[String]> = main.iter().map(Vec::as_slice).collect();
    assert_refused(&output_program(&main), Reason::Instruction, Place::Pc(9));

    // A sum and a product with a value behind a pointer: [fp - 3] is a pointer to the output, whose first word is 5.
    let sum = word([0, -3, 0], OP0_FP | ADD | ASSERT | AP1);
    let program = output_program(&[&push_imm(5), &store(-3), &[sum], &push_fp_plus(-3, 1), &ret()]);
    assert_refused(&program, Reason::Instruction, Place::Pc(10));

    // `jmp rel [[fp - 3]]`: the word behind the output pointer is 1, so that the jump goes to the next instruction.
    let jump = word([-1, -3, 0], DST_FP | OP0_FP | REL);
    let program = output_program(&[&push_imm(1), &store(-3), &[jump], &push_fp_plus(-3, 1), &ret()]);
    assert_refused(&program, Reason::Instruction, Place::Pc(10));
}

#[test]
fn builtins_without_a_public_segment() {
    assert_refused(&program(&[], 0, &[&ret()]), Reason::PublicSegments, Place::Whole);
    assert_refused(&program(&["range_check"], 1, &[&push_fp(-3), &ret()]), Reason::PublicSegments, Place::Whole);
    let arena = program(&["output", "segment_arena"], 2, &[&push_fp(-4), &push_fp(-3), &ret()]);
    assert_refused(&arena, Reason::PublicSegments, Place::Whole);
    // Builtins that the layout lacks have the pointer 0, which main returns; any subset in order is taken.
    let keccak = program(&["output", "keccak"], 2, &[&push_fp(-4), &push_fp(-3), &ret()]);
    assert_eq!(run(&keccak).unwrap().builtins.len(), 2);
}

#[test]
fn programs_that_begin_in_another_way() {
    // ap is advanced by one pointer more than main has builtins.
    let program = program(&["output"], 2, &[&push_fp(-4), &ret()]);
    assert_refused(&program, Reason::ProgramStart, Place::Pc(2));
    // Another instruction than `jmp rel 0` where the program ends; it does not run.
    let mut program = output_program(&[&push_fp(-3), &ret()]);
    program["data"][4] = json!("0x40780017fff7fff");
    assert_refused(&program, Reason::ProgramStart, Place::Pc(5));
}

#[test]
fn output_behind_a_gap() {
    // [ap + 5] = 7 leaves cells above the final ap.
    let write_above = [word([5, -1, 1], OP0_FP | IMM | ASSERT), imm(7)];
    let output = [push_imm(1).to_vec(), store(-3).to_vec()].concat();
    let program = output_program(&[&write_above, &output, &push_fp_plus(-3, 1), &ret()]);
    // Program, safe call, output pointer, fp and pc of the call; main's ap goes 2 on, and the gap ends at its fp + 6.
    let words = program["data"].as_array().unwrap().len() as u64;
    assert_refused(&program, Reason::OutputPosition, Place::Address(1 + words + 2 + 1 + 2 + 6));
    // Without output the same gap does no harm.
    assert!(run(&output_program(&[&write_above, &push_fp(-3), &ret()])).is_ok());
}

/// `[[fp - 1] + words]`, where `[fp - 1]` is the address to which main returns.
#[test]
fn words_behind_those_of_the_program() {
    let main = |words| {
        vec![
            push_imm(7).to_vec(),
            vec![word([0, -1, words], DST_FP | OP0_FP | ASSERT)],
            push_fp(-3).to_vec(),
            ret().to_vec(),
        ]
    };
    let written = |words| {
        let main = main(words);
        output_program(&main.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    let words = written(0)["data"].as_array().unwrap().len() as u64;
    // Main returns to word 4.
    let last = i32::try_from(words).unwrap() - 4;
    for behind in [0, 3] {
        let program = written(last + behind);
        assert_refused(&program, Reason::ProgramStart, Place::Address(words + 1));
        let said = run(&program).unwrap_err().to_string();
        assert!(said.contains("writes behind its last word") && !said.contains("ProverInput"), "{said}");
    }
}

#[test]
fn builtins_with_holes() {
    // Only the second range check is written; the first one is the hole, and the first cell behind the stack.
    let write = [push_imm(9).to_vec(), vec![word([-1, -3, 1], OP0_FP | ASSERT)]].concat();
    let program = program(&["output", "range_check"], 2, &[&write, &push_fp(-4), &push_fp_plus(-3, 2), &ret()]);
    let words = program["data"].as_array().unwrap().len() as u64;
    // Safe call, two pointers, fp and pc of the call, the three values that main pushes.
    let stack = 2 + 2 + 2 + 3;
    assert_refused(&program, Reason::Builtin, Place::Address(1 + words + stack));
}

#[test]
fn registers_and_pointers_out_of_range() {
    // ap leaves the addresses and comes back.
    let program = output_program(&[&advance(1 << 40), &advance(-(1 << 40)), &push_fp(-3), &ret()]);
    assert_refused(&program, Reason::Address, Place::Pc(9));
    // The stack holds a pointer of more than 32 bits: address 12 + 6, behind program (12 words), safe call (2), output
    // pointer, fp, pc.
    let program = output_program(&[&push_fp_plus(-3, 1 << 40), &push_fp(-3), &ret()]);
    let Err(Problem::Refused(refusal)) = run_far(&program) else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::Address);
    let words = program["data"].as_array().unwrap().len() as u64;
    assert_eq!(refusal.place, Place::Address(words + 2 + 1 + 2 + 1));
}

/// A program that writes no cell that it may not ends before it takes the memory for it: these would take 32 TiB.
#[test]
fn addresses_beyond_those_of_a_run() {
    let far = 1 << 40;
    for (main, pc) in [
        // ap leaves the addresses; the next instruction, word 8 at address 9, would write there.
        ([advance(far), push_imm(1)].concat(), 9),
        // A cell far behind the one that the next instruction writes.
        ([advance(1 << 27), push_imm(1)].concat(), 9),
    ] {
        let error = failure(&output_program(&[&main, &push_fp(-3), &ret()]));
        assert!(error.message.contains("more than 134217728 addresses"), "{error}");
        assert_eq!(error.pc, Some(pc), "{error}");
    }
}

/// A pointer takes nothing where it points to, and a cell that is far away takes what lies before it.
#[test]
fn pointers_that_are_not_used_take_no_addresses() {
    let far = 1 << 27;
    let computed = output_program(&[&push_fp_plus(-3, far), &push_fp(-3), &ret()]);
    assert_eq!(run(&computed).unwrap().steps, 5);
    // [[ap - 1]] is read: it was never written, and nothing lies there.
    let read = word([0, -1, 0], ASSERT | AP1);
    let error = failure(&output_program(&[&push_fp_plus(-3, far), &[read], &push_fp(-3), &ret()]));
    assert_eq!(error.pc, Some(9), "{error}");
    // [ap + 1] is written.
    let error = failure(&output_program(&[&push_fp_plus(-3, far), &push_imm(1), &[word([-1, -2, 0], ASSERT)]]));
    assert!(error.message.contains("more than 134217728 addresses"), "{error}");
}

/// Memory bounds what flags do not.
#[test]
fn runs_take_no_more_memory_than_they_may() {
    let bounded = |program: &Value, max_memory: u64| {
        let options = Options { max_memory: Some(max_memory), ..Options::default() };
        match run_with(program, &options) {
            Ok(loaded) => Ok(loaded.steps),
            Err(Problem::Failed(failure)) if failure.message.contains("more memory") => Err(failure.pc),
            Err(other) => panic!("{other}"),
        }
    };
    let far = [word([1000, -1, 1], OP0_FP | IMM | ASSERT), imm(7)];
    let program = output_program(&[&far, &push_fp(-3), &ret()]);
    let bytes = 1000 * ADDRESS_BYTES;
    assert_eq!(bounded(&program, 2 * bytes), Ok(5));
    assert_eq!(bounded(&program, bytes), Err(Some(7)));
    // `jmp rel 0` never ends, and takes a step each time.
    let forever = output_program(&[&[word([-1, -1, 1], DST_FP | OP0_FP | IMM | REL), imm(0)]]);
    assert_eq!(bounded(&forever, 1 << 20), Err(Some(7)));
}

/// A run without an end, in steps or in the loop of a hint, ends soon after its flag is set.
#[test]
fn a_run_is_cancelled() {
    use std::time::{Duration, Instant};
    let run = |program: &Value, options: &Options| {
        load(&serde_json::to_vec(program).unwrap(), options).map(drop).map_err(|error| *error.problem)
    };
    let forever = output_program(&[&[word([-1, -1, 1], DST_FP | OP0_FP | IMM | REL), imm(0)]]);
    for machine in [Machine::Own, Machine::CairoVm, Machine::Compare] {
        let options = Options { machine, max_steps: usize::MAX, ..Options::default() };
        let begun = Instant::now();
        let goes_on = || begun.elapsed() < Duration::from_millis(60);
        let stopped = options.stop.watch(goes_on, || run(&forever, &options));
        assert!(matches!(stopped, Err(Problem::Cancelled)), "{machine:?}: {stopped:?}");
        // 60 ms, 20 ms to see it, and what a busy machine takes; without the flag it is hours.
        assert!(begun.elapsed() < Duration::from_secs(10), "{machine:?}: {:?}", begun.elapsed());
    }
    // A flag that is set before stops a program that would end.
    let options = Options::default();
    options.stop.stop();
    let error = run(&output_program(&[&push_fp(-3), &ret()]), &options).unwrap_err();
    assert!(matches!(error, Problem::Cancelled), "{error}");
}

/// The bound is exact: a gap of a cell more takes a cell more.
#[test]
fn as_many_addresses_as_a_run_takes() {
    let least = |gap: i32| {
        let write = [word([gap, -1, 1], OP0_FP | IMM | ASSERT), imm(7)];
        let program = output_program(&[&write, &push_fp(-3), &ret()]);
        let taken = |max_addresses: &usize| match run_with(
            &program,
            &Options { max_addresses: *max_addresses, ..Options::default() },
        ) {
            Ok(_) => true,
            Err(Problem::Failed(failure)) if failure.message.contains("addresses") => false,
            Err(other) => panic!("{other}"),
        };
        (1..400).find(taken).expect("it fits")
    };
    // The program, the segments, and the stack: output pointer and segments' ends of the safe call, fp and pc, and the
    // gap.
    assert_eq!(least(101), least(100) + 1);
    assert!((100..200).contains(&least(100)), "{}", least(100));
}

#[test]
fn ec_op_that_meets_itself() {
    // P = Q, m = 0: the result is P, but the component adds P and Q in its first round.
    let point = (
        "0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804",
        "0x3ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268a",
    );
    let cell = |value: &str, offset: i32| {
        vec![word([0, -1, 1], OP0_FP | IMM | ASSERT | AP1), value.to_string(), word([-1, -3, offset], OP0_FP | ASSERT)]
    };
    let instance = |q: (&str, &str), m: &str| {
        let inputs = [cell(point.0, 0), cell(point.1, 1), cell(q.0, 2), cell(q.1, 3), cell(m, 4)].concat();
        program(&["output", "ec_op"], 2, &[&inputs, &push_fp(-4), &push_fp_plus(-3, 7), &ret()])
    };
    let Err(Problem::Refused(refusal)) = run(&instance(point, "0x0")) else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::BuiltinValue);
    // -P has the same x. Another point is taken.
    let negative = (Felt252::ZERO - Felt252::from_hex(point.1).unwrap()).to_hex_string();
    let Err(Problem::Refused(refusal)) = run(&instance((point.0, &negative), "0x0")) else { panic!("not refused") };
    assert_eq!(refusal.reason, Reason::BuiltinValue);
    let other = (
        "0x234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47b",
        "0x3b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615",
    );
    assert!(run(&instance(other, "0x2")).is_ok());
}

#[test]
fn programs_that_fail() {
    // 1 = 2 at word 8, address 9.
    let two = [word([-1, -1, 1], OP0_FP | IMM | ASSERT), imm(2)];
    let mut program = output_program(&[&push_imm(1), &two, &push_fp(-3), &ret()]);
    let error = failure(&program);
    assert_eq!(error.pc, Some(9));
    assert_eq!(error.source, None);
    let place =
        json!({"input_file": {"filename": "sum.cairo"}, "start_line": 3, "start_col": 5, "end_line": 3, "end_col": 9});
    let location = json!({"accessible_scopes": [], "hints": [], "flow_tracking_data": null, "inst": place});
    program["debug_info"] = json!({"instruction_locations": {"8": location}});
    let error = failure(&program);
    assert!(error.source.as_ref().unwrap().contains("sum.cairo:3:5"), "{error}");

    // `jmp rel 0` never ends.
    let error = failure(&output_program(&[&[word([-1, -1, 1], DST_FP | OP0_FP | IMM | REL), imm(0)]]));
    assert!(error.message.contains("1000 steps"), "{error}");
}

/// Words of the output that are never written are 0 in the statement, and are told.
#[test]
fn holes_in_the_output() {
    let write = [push_imm(5).to_vec(), vec![word([-1, -3, 2], OP0_FP | ASSERT)]].concat();
    let loaded = run(&output_program(&[&write, &push_fp_plus(-3, 3), &ret()])).unwrap();
    assert_eq!((loaded.output, loaded.output_holes), ([0, 0, 5].map(Felt252::from).to_vec(), vec![0, 1]));
    assert!(run(&output_program(&[&push_fp(-3), &ret()])).unwrap().output_holes.is_empty());
}

#[test]
fn pointers_that_are_not_handed_back() {
    // The value before `ret` is a number, no pointer; then one that is not behind the written cells.
    for (main, builtin) in [
        ([push_imm(1).to_vec(), ret().to_vec()].concat(), "output"),
        ([push_fp_plus(-3, 1).to_vec(), ret().to_vec()].concat(), "output"),
    ] {
        let error = failure(&output_program(&[&main]));
        assert!(error.message.contains(builtin) && error.message.contains("Let main return the pointers"), "{error}");
    }
}

/// The builtin ecdsa has no component: its pointer is 0.
#[test]
fn builtins_without_a_component_are_named() {
    let write = [push_imm(1).to_vec(), store(-3).to_vec()].concat();
    for builtin in ["ecdsa", "keccak"] {
        let program = program(&["output", builtin], 2, &[&write, &push_fp(-4), &push_fp_plus(-3, 2), &ret()]);
        match run(&program) {
            Err(Problem::Refused(refusal)) => {
                assert_eq!((refusal.reason, refusal.place), (Reason::Builtin, Place::Pc(9)));
                assert!(refusal.what.contains(builtin), "{refusal}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Without such a builtin it is an error of the program.
    let number =
        output_program(&[&[push_imm(1).to_vec(), push_imm(1).to_vec(), vec![word([-1, -2, 0], ASSERT)]].concat()]);
    assert!(failure(&number).message.contains("relocatable"));
}

#[test]
fn program_input_in_hints() {
    let hint = |code: &str| {
        // [ap] = [[fp - 3]]; ap++, where the hint has written [ap].
        let mut program = output_program(&[&[word([0, -3, 0], OP0_FP | ASSERT | AP1)], &push_fp_plus(-3, 1), &ret()]);
        program["hints"] = json!({"6": [{"code": code, "accessible_scopes": [], "flow_tracking_data":
            {"ap_tracking": {"group": 0, "offset": 0}, "reference_ids": {}}}]});
        program
    };
    let program = hint("memory[ap] = program_input['values'][1]");
    let with = |input: Value| Options { program_input: Some(input), ..Options::default() };
    assert_eq!(run_with(&program, &with(json!({"values": [1, 42]}))).unwrap().output, [Felt252::from(42)]);
    let large = json!({"values": [1, "0x10000000000000000000000000000000000"]});
    assert_eq!(run_with(&program, &with(large)).unwrap().output, [Felt252::TWO.pow(136u32)]);

    let error = |result: Result<Loaded, Problem>| match result {
        Err(Problem::Failed(failure)) => failure.message,
        other => panic!("expected a failure; got {other:?}"),
    };
    assert!(error(run(&program)).contains("none is given"));
    assert!(error(run_with(&program, &with(json!({"values": [1]})))).contains("element 1"));
    assert!(error(run_with(&program, &with(json!({"values": [1, 0.5]})))).contains("0.5"));
    // A hint that nobody knows is named by its text.
    let own = error(run(&hint(&format!("memory[ap] = open('/etc/passwd')\n{}", "# more\n".repeat(100)))));
    assert!(own.contains("open(") && own.contains("own are not run") && own.len() < 400, "{own}");
    // Values of the program input are shown in short.
    let long = json!({"values": [1, "x".repeat(1 << 20)]});
    assert!(error(run_with(&program, &with(long))).len() < 400);
    // Lists take addresses, and their items steps.
    let list = hint("memory[ap] = segments.gen_arg(program_input)");
    let bounded = |max_steps, max_addresses| {
        let input = Some(json!(vec![7; 500]));
        error(run_with(&list, &Options { max_steps, max_addresses, program_input: input, ..Options::default() }))
    };
    assert!(bounded(400, 10_000).contains("--max-steps"));
    assert!(bounded(10_000, 400).contains("--max-addresses"));
}
