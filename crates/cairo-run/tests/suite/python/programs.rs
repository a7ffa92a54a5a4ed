//! Programs whose hints compute, print, and hand values to each other.

use cairo_run::{Felt252, Options, OwnHints, load};
use serde_json::{Value, json};

use super::{options, run, with_hints};

fn outputs(hints: &[&str], count: i32, input: Value) -> Vec<Felt252> {
    run(&with_hints(hints, count), &options(Some(input))).unwrap_or_else(|error| panic!("{hints:?}: {error}")).output
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
        let library = Options { own_hints: OwnHints::Refused, ..options(Some(input.clone())) };
        let refused = load(&serde_json::to_vec(&program).unwrap(), &library).unwrap_err();
        assert!(refused.to_string().contains("--hints python"), "{name}: {refused}");
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
    let cases: [(&[&str], &[i64]); 18] = [
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
        (&["ids.here.y = 4\nids.here.x = ids.here.y + (1 if ids.here == fp else 0)"], &[5, 4]),
        (&["ids.a, ids.b, ids.c = ids.P.SIZE, ids.P.x, ids.P.y"], &[2, 0, 1]),
        // Arguments by name, and defaults.
        (
            &["x = segments.gen_arg(arg=[9])\nend = segments.write_arg(ptr=x + 1, arg=(8,))\n\
              ids.a, ids.b, ids.c = memory.get(x + 5, 3), memory[end - 1], len(memory.get_range(addr=x, size=2))"],
            &[3, 8, 2],
        ),
        // A temporary segment becomes the end of another.
        (
            &["t = segments.add_temp_segment()\nmemory[t] = 6\ns = segments.add()\n\
              memory.add_relocation_rule(src_ptr=t, dest_ptr=s)\nmemory[fp + 3] = t\nids.a, ids.b, ids.c = 1, 2, 3"],
            &[1, 2, 3],
        ),
        (&["ids.a = to_felt_or_relocatable(2 > 1)\nids.b = 5 if memory.get(fp + 9) is None else 0"], &[1, 5]),
        // A list of the scope stays what it was if a name is given to another one.
        (&["l = [1]\nk = l", "l = l + [2]", "ids.a, ids.b = len(l), len(k)"], &[2, 1]),
        (&["try:\n    y = undefined\nexcept NameError:\n    y = 2\nids.a = y if ap > fp - 1 else 0"], &[2]),
    ];
    // A value that is not kept takes the place of one that was, and the name of an exception is gone with its handler.
    for hint in ["x = lambda: 1", "def x(): pass", "x = [len]", "try: 1 // 0\nexcept ZeroDivisionError as x: pass"] {
        let read = "try:\n    ids.a = x\nexcept NameError:\n    ids.a = 6";
        assert_eq!(outputs(&["x = 5", hint, read], 1, input.clone()), [Felt252::from(6)], "{hint}");
    }
    // It stays if it is read alone, or not come to.
    let caught = "def f():\n    try: 1 // 0\n    except ZeroDivisionError as x: pass\nf()";
    for hint in ["y = x", "if False:\n    x = 1", caught] {
        assert_eq!(outputs(&["x = 5", hint, "ids.a = x"], 1, input.clone()), [Felt252::from(5)], "{hint}");
    }
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
