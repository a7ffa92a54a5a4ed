//! Hints of programs' own, in Python. What they write is computed here anew, or by hand.

use cairo_run::{Felt252, Kind, Loaded, Machine, Options, OwnHints, Problem, RunBy, load};
use serde_json::{Value, json};

use super::assembler::*;

/// A program whose hint stands before the first word of main, and which puts out the cells `[fp]..[fp + outputs]`. The
/// hint knows `a`, `b` and `c`, felts in the first three of them, `p`, a structure in the first two, and `list`, a
/// pointer to such structures in the fourth.
fn with_hints(hints: &[&str], outputs: i32) -> Value {
    let mut main = vec![advance(outputs.max(4).into()).to_vec()];
    main.extend((0..outputs).map(|i| vec![word([i, -3, i], DST_FP | OP0_FP | ASSERT)]));
    main.extend([push_fp_plus(-3, outputs.into()).to_vec(), ret().to_vec()]);
    let words: Vec<&[String]> = main.iter().map(Vec::as_slice).collect();
    let mut program = output_program(&words);
    let tracking = json!({"group": 0, "offset": 0});
    let reference = |value: &str| json!({"ap_tracking_data": tracking, "pc": 6, "value": value});
    let references = ["[cast(fp, felt*)]", "[cast(fp + 1, felt*)]", "[cast(fp + 2, felt*)]", "[cast(fp, __main__.P*)]"];
    let references: Vec<_> = references.into_iter().chain(["[cast(fp + 3, __main__.P**)]"]).map(reference).collect();
    program["reference_manager"]["references"] = json!(references);
    let names = ["a", "b", "c", "p", "list"].into_iter().enumerate();
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
    let (own_hints, machine) = (OwnHints::Python, Machine::Compare);
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
        problem => panic!("{problem}"),
    })?;
    assert_eq!(loaded.run_by, RunBy::Own);
    Ok(loaded)
}

fn outputs(hints: &[&str], count: i32, input: Value) -> Vec<Felt252> {
    run(&with_hints(hints, count), &options(Some(input))).unwrap_or_else(|error| panic!("{hints:?}: {error}")).output
}

fn fault(hint: &str) -> String {
    run(&with_hints(&[hint], 0), &options(Some(json!({})))).expect_err(hint)
}

fn vector(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../vectors/faults/cairo0/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The programs of users: they are refused with the flag's name, and run with it.
#[test]
fn programs_of_users_run() {
    let input: Value = serde_json::from_slice(&vector("program_input.json")).unwrap();
    let felts = |numbers: &[u64]| numbers.iter().map(|number| Felt252::from(*number)).collect::<Vec<_>>();
    for (name, output, printed) in [
        ("input_for", Some(felts(&[11])), ""),
        ("input_members", Some(felts(&[7, 5])), ""),
        ("input_comment", Some(felts(&[7])), ""),
        ("hash_chain_print", None, "final: "),
    ] {
        let program: Value = serde_json::from_slice(&vector(&format!("{name}.json"))).unwrap();
        let refused = load(
            &serde_json::to_vec(&program).unwrap(),
            &Options { own_hints: OwnHints::Refused, ..options(Some(input.clone())) },
        );
        assert!(refused.unwrap_err().to_string().contains("--hints python"), "{name}");
        let loaded = run(&program, &options(Some(input.clone()))).unwrap();
        match output {
            Some(output) => assert_eq!(loaded.output, output, "{name}"),
            // It puts out what it prints.
            None => assert_eq!(loaded.printed, format!("{printed}{}\n", loaded.output[0]), "{name}"),
        }
    }
}

#[test]
fn hints_compute_cells() {
    let input = json!({"data": [3, 1, 2], "big": "0x10", "n": 5});
    let cases: [(&[&str], &[i64]); 12] = [
        (&["ids.a = sum(x * x for x in program_input['data'])"], &[14]),
        (&["ids.a, ids.b = 4, ids.K", "ids.c = ids.a + ids.b"], &[4, 7, 11]),
        (&["ids.p.x = 8\nids.p.y = ids.p.x + 1"], &[8, 9]),
        (&["memory[fp], memory[ids.p.address_ + 1] = 1, 2", "ids.c = memory[fp] + memory.get(fp + 1)"], &[1, 2, 3]),
        (
            &[
                "ids.list = segments.gen_arg([5, 6, 7, 8])",
                "second = ids.list + 2\nids.a = memory[second]\nids.b = ids.list.y",
            ],
            &[7, 6],
        ),
        (
            &["x = segments.add()\nend = segments.write_arg(x, [1, [2, 3]])\nids.a = end - x\n\
            ids.b = memory[memory[x + 1] + 1]\nids.c = len(memory.get_range(x, 2))"],
            &[2, 3, 2],
        ),
        (
            &[
                "n = 3\nl = [1]",
                "l.append(n)",
                "vm_enter_scope({'m': n})\n",
                "ids.a = m\nm += 1",
                "ids.b = m\nvm_exit_scope()",
                "ids.c = len(l) + n",
            ],
            &[3, 4, 5],
        ),
        (&["def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nids.a = f(10)"], &[3_628_800]),
        (&["ids.a = -1 % PRIME\nids.b = PRIME - 1 - ids.a\nids.c = pow(3, -1, 7)"], &[-1, 0, 5]),
        (&["ids.a = int(program_input['big'], 16)\nassert ids.a == 16"], &[16]),
        (&["for i, x in enumerate(sorted(program_input['data'])):\n    memory[fp + i] = x"], &[1, 2, 3]),
        (&["try:\n    y = undefined\nexcept NameError:\n    y = 2\nids.a = y if ap > fp - 1 else 0"], &[2]),
    ];
    for (hints, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|number| Felt252::from(*number)).collect();
        assert_eq!(outputs(hints, expected.len() as i32, input.clone()), expected, "{hints:?}");
    }
}

#[test]
fn hints_print() {
    let hint = "ids.a = 5\nprint('a', ids.a, sep='=')\nprint(f'{ids.a:#x} {fp}', end='!')";
    let printed = run(&with_hints(&[hint], 1), &options(None)).unwrap().printed;
    assert_eq!(printed, "a=5\n0x5 1:5!");
    let long = run(&with_hints(&["for i in range(50): print('x' * 100000)"], 0), &options(None)).unwrap().printed;
    assert!(long.len() < (1 << 20) + 200 && long.contains("bytes are shown"));
}

#[test]
fn what_a_hint_may_not_do_is_refused_with_its_place() {
    let mut wrong = Vec::new();
    for (hint, expected) in [
        ("import os", "line 1 of the hint: a hint imports no modules"),
        ("\nimport socket", "line 2 of the hint: a hint imports no modules"),
        ("open('/etc/passwd')", "a hint has no files, no network and no clock"),
        ("open('/tmp/polystark', 'w').write('x')", "a hint has no files, no network and no clock"),
        ("__import__('os')", "names that begin with `__` are not the hint's"),
        ("eval('1')", "NameError: name 'eval' is not defined"),
        ("exec('1')", "NameError: name 'exec' is not defined"),
        ("x = [0] * 10 ** 12", "it takes more memory than a hint may take"),
        ("x = 'x' * 10 ** 10", "it takes more memory than a hint may take"),
        ("x = 1 << 10 ** 9", "it takes more memory than a hint may take"),
        ("x = 3 ** 10 ** 9", "it takes more memory than a hint may take"),
        ("x = [0]\nwhile True: x = x + x", "it takes more memory than a hint may take"),
        ("x = pow(3, 10 ** 9)", "pow: more than 8192 bits"),
        ("x = pow(3, 10 ** 9999, 7)", "pow: more than 8192 bits"),
        ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded"),
        ("\n\nraise ValueError('why')", "line 3 of the hint: ValueError: why"),
        ("x = 1\nx = 1 // 0", "line 2 of the hint: ZeroDivisionError"),
        ("ids.a = 1\nids.a = 2", "Inconsistent memory assignment"),
        ("ids.a = -1", "ids.a: -1 is negative, and a felt is not; take it modulo PRIME"),
        ("ids.a = PRIME", "is not below the prime; take it modulo PRIME"),
        ("ids.a = 2 ** 5000", "is not below the prime; take it modulo PRIME"),
        ("ids.a = fp + fp", "is not below the prime; take it modulo PRIME"),
        ("ids.a = 'x'", "ids.a: 'x' is no integer"),
        ("memory[0] = 1", "memory: 0 is no address"),
        ("memory[fp - 100] = 1", "is no address"),
        ("x = memory[fp]", "Unknown memory cell at address 1:5"),
        ("ids.q = 1", "line 1 of the hint: ids.q: there is no such variable or constant"),
        ("ids.K = 1", "a constant or an address is not written"),
        ("ids.p = 1", "it is a __main__.P: name a member of it"),
        ("x = program_input['n']", "KeyError"),
        ("vm_exit_scope()", "Cannot exit main scope"),
        ("segments.nothing()", "there is no function `segments.nothing`"),
        ("x = (", "line 1 of the hint: SyntaxError"),
        ("x = y = \u{e9}\u{e9}", "NameError"),
        ("memory[fp + 2 ** 60] = 1", "--max-addresses"),
        ("x = segments.write_arg(segments.add(), [0] * 60000)\nmemory[x + 10 ** 9] = 1", "--max-addresses"),
    ] {
        let error = fault(hint);
        if !error.contains(expected) {
            wrong.push(format!("{hint}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Without an end, with little steps for the test's time.
#[test]
fn a_hint_that_does_not_end_is_stopped() {
    for hint in [
        "while True: pass",
        "x = sum(range(10 ** 12))",
        "while True: segments.gen_arg([0])",
        "x = [0] * 60000\nwhile True: x.index(1) if 1 in x else x.sort()",
        "for i in range(10 ** 18): s = 'x' * 10000",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "x = []\nfor i in range(10 ** 9): x.append(x)",
    ] {
        let options = Options { max_steps: 1 << 18, ..options(None) };
        let error = run(&with_hints(&[hint], 0), &options).expect_err(hint);
        assert!(
            error.contains("it has not ended after 262144 steps") && error.contains("--max-steps"),
            "{hint}: {error}"
        );
    }
    // The input is paid for by each hint that reads all of it.
    let input = json!({"list": vec![1; 100_000]});
    let options = Options { max_steps: 1 << 16, ..options(Some(input)) };
    let error = run(&with_hints(&["x = len(program_input) + 1"], 0), &options).unwrap_err();
    assert!(error.contains("--max-steps"), "{error}");
}

/// Deep texts and deep values end no process.
#[test]
fn depth_is_bounded() {
    for hint in [
        format!("x = {}0{}", "(".repeat(8000), ")".repeat(8000)),
        format!("x = {}0", "-".repeat(16_000)),
        format!("x = {}0", "not ".repeat(4000)),
        format!("x = {}0{}", "[".repeat(8000), "]".repeat(8000)),
        format!("x = {}0", "lambda:".repeat(2300)),
        format!("x = f{}", ".a".repeat(8000)),
        format!("x = 0{}", "+0".repeat(8000)),
        "x = 0\n".repeat(10_000),
    ] {
        let error = fault(&hint);
        assert!(error.contains("hint"), "{}: {error}", &hint[..20]);
    }
    let deep = "x = []\nfor i in range(20000): x = [x]\n";
    run(&with_hints(&[deep], 0), &options(None)).unwrap();
    for rest in [
        "print(x)",
        "y = x == [x]",
        "memory[fp] = x",
        "vm_enter_scope({'x': x})\nvm_exit_scope()",
        "segments.gen_arg(x)",
    ] {
        // An error or none: the process goes on.
        drop(run(&with_hints(&[&format!("{deep}{rest}")], 0), &options(None)));
    }
}
