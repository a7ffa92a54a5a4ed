//! Commands with impossible arguments, or that are told to end.

use std::fs;

use tempfile::TempDir;

use crate::cli::common::{Proved, Ran, run, text, words};
use crate::faults::names::vector;

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// Commands that take long and are told to end say so, and by which signal.
#[test]
#[cfg(unix)]
fn commands_that_take_long_say_that_they_were_interrupted() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    // They wait for their standard input, or for the end of their time.
    for arguments in [
        &["cairo", "verify", "-"][..],
        &["cairo", "run", "/dev/stdin"],
        &["soak", "--backend", "cpu", "--threads", "1", "--minutes", "9", "--max-log-rows", "3"][..],
    ] {
        for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
            let folder = folder();
            let spans = folder.path().join("spans");
            let mut command = crate::cli::common::command();
            command.args(arguments).args(["--spans", text(&spans)]);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("the program starts");
            // It would be closed before the child is waited for.
            let input = child.stdin.take();
            std::thread::sleep(Duration::from_millis(700));
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
            assert!(sent.expect("there is `kill`").success());
            let (ended, mut said) = (child.wait().expect("it ends").code(), String::new());
            child.stderr.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
            drop(input);
            assert_eq!((ended, &*said), (Some(code), "polystark: interrupted\n"), "{arguments:?} {signal}");
            // Spans are whole or not there.
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{arguments:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn devices_without_an_end_are_refused_at_once() {
    let program = vector("cairo1/programs/fib.executable.json");
    let compiled = vector("cairo/programs/fib_10.json");
    let proof = Proved::new("prove --air quadratic --rows 64 --queries 4 --security claimed-0");
    let (program, compiled, proof) = (text(&program), text(&compiled), text(&proof.file));
    let folder = folder();
    let output = folder.path().join("output");
    for arguments in [
        &["verify", proof, "--air-file", "/dev/zero"][..],
        &["prove", "--air-file", "/dev/zero", "--trace-file", "/dev/zero", "-o", text(&output)],
        &["cairo", "run", "/dev/zero"],
        &["cairo", "run", program, "--args-file", "/dev/zero"],
        &["cairo", "run", compiled, "--program-input", "/dev/zero"],
        &["cairo", "prove", "--batch", "/dev/zero"],
        &["cairo", "program-hash", "/dev/zero"],
        &["cairo", "verify", proof, "--expect-output", "/dev/zero"],
    ] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.stderr.contains("no end"), "{arguments:?}: {ran:?}");
    }
    // One that has an end is an empty file.
    assert!(!run(["verify", "/dev/null"]).stderr.contains("no end"));
}

/// The flag of proofs does not admit a longer file of an AIR, so it is not named.
#[test]
fn files_of_airs_have_a_limit_of_their_own() {
    let folder = folder();
    let long = folder.path().join("long.air");
    let file = fs::File::create(&long).expect("there is room");
    file.set_len((64 << 20) + 1).expect("a file with a hole");
    let ran = words("prove", &["--air-file", text(&long), "--trace-file", "trace.npy", "-o", "proof"]);
    assert!(ran.code == 2 && ran.stderr.contains("at most") && !ran.stderr.contains("--max-bytes"), "{ran:?}");
}

#[test]
fn outputs_are_no_folders() {
    let folder = folder();
    for name in ["new/", "new/.", "new//"] {
        let output = format!("{}/{name}", text(folder.path()));
        let ran = words("prove --air quadratic --rows 64", &["-o", &output]);
        assert!(ran.code == 2 && ran.stderr.contains("names a folder"), "{name}: {ran:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "{name}");
    }
}

/// An unmet expectation is reported in few letters.
#[test]
fn expectations_show_little_of_long_values() {
    let proof = Proved::new("prove --air quadratic --rows 64 --queries 4 --security claimed-0");
    let long = "ab".repeat(30_000);
    let verify = |flag: &str| words("verify --security claimed-0", &[text(&proof.file), flag, &long]);
    for flag in ["--expect-air", "--expect-seed"] {
        let ran = verify(flag);
        assert!(ran.code == 1 && ran.stderr.len() < 300, "{flag}: {ran:?}");
    }
    for flag in ["--preprocessed-root", "--expect-param", "--expect-public"] {
        let Ran { code, stderr, .. } = verify(flag);
        assert!(code == 2 && !stderr.contains(&long[..81]), "{flag}: {stderr}");
        // A text that was shortened once is not cut again.
        let lengths = stderr.split('[').filter_map(|part| part.split_once(" characters]")).map(|(length, _)| length);
        assert!(lengths.into_iter().all(|length| length == "60000"), "{flag}: {stderr}");
    }
    let seeded = proof.sibling(b"");
    let ran = words(
        "prove --air quadratic --rows 64 --format lambdaworks",
        &["--transcript-seed", &long, "-o", text(&seeded)],
    );
    assert!(ran.code == 0 && ran.stdout.len() + ran.stderr.len() < 3000, "{ran:?}");
}

#[test]
fn what_stands_in_a_program_input_is_shown_in_few_letters() {
    let folder = folder();
    let input = folder.path().join("input");
    let program = vector("faults/cairo0/input_loop.json");
    let run_with = |content: &str| {
        fs::write(&input, content).expect("there is room");
        run(["cairo", "run", text(&program), "--program-input", text(&input)])
    };
    let digits = "1".repeat(60_000);
    for number in [digits.clone(), format!("1.{digits}"), format!("\"{digits}\"")] {
        let ran = run_with(&format!("{{\"n\": {number}}}"));
        assert!(ran.code == 2 && !ran.stderr.contains(&digits[..81]), "{} letters", ran.stderr.len());
    }
    // A program's own name is not cut either, in any message that nothing is called so.
    let name = "k".repeat(100_000);
    let text_of = fs::read_to_string(&program).expect("a vector");
    for hint in [format!("ids.{name} = program_input['n']"), format!("ids.x = program_input['{name}']"), name.clone()] {
        let changed = folder.path().join("changed.json");
        let replaced = text_of.replace("ids.x = program_input['n']", &hint);
        assert!(replaced != text_of, "the hint of this program is another one");
        fs::write(&changed, replaced).expect("there is room");
        fs::write(&input, "{\"n\": 3}").expect("there is room");
        let ran = run(["cairo", "run", text(&changed), "--program-input", text(&input)]);
        assert!(ran.code == 2 && !ran.stderr.contains(&name[..81]), "{} letters", ran.stderr.len());
    }
    // Neither value of a key that is there twice is the one that is meant.
    for twice in ["{\"n\": 1, \"n\": 2}", "{\"n\": 1, \"m\": [{\"a\": 1, \"a\": 1}]}"] {
        let ran = run_with(twice);
        assert!(ran.code == 2 && ran.stderr.contains("is there twice"), "{ran:?}");
    }
    let ran = run_with("{\"n\": 1, \"m\": [{\"a\": 1}, {\"a\": 1.5e3}]}");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn files_that_are_no_program_are_called_what_they_are() {
    let proof = Proved::new("prove --air quadratic --rows 64 --queries 4 --security claimed-0");
    let air = proof.sibling(b"");
    assert_eq!(words("record --air quadratic --rows 64", &["-o", text(&air)]).code, 0);
    let [pie, table, cairo, input] = [
        "faults/cairo0/fibonacci_pie.zip",
        "faults/z0.npy",
        "cairo/proofs/fib_10.small.low.bincode",
        "cairo1/inputs/fib_boot.bin",
    ]
    .map(vector);
    let (output, other) = (proof.folder.path().join("output"), vector("cairo/proofs/tiny.small.low.bincode"));
    for (file, what) in [
        (&air, "an AIR"),
        (&proof.file, "the proof of an AIR"),
        (&pie, "a CairoPIE"),
        (&table, "a table"),
        (&cairo, "the proof of a Cairo program"),
    ] {
        for arguments in [
            &["cairo", "program-hash", text(file)][..],
            &["cairo", "run", text(file)],
            &["cairo", "prove", text(file), "-o", text(&output)],
            &["cairo", "verify", text(&other), "--expect-program", text(file)],
        ] {
            let ran = run(arguments);
            assert!(ran.code == 2 && ran.stderr.contains(what), "{arguments:?}: {ran:?}");
        }
    }
    let ran = run(["cairo", "program-hash", text(&input)]);
    assert!(ran.code == 2 && ran.stderr.contains("ProverInput"), "{ran:?}");
}

/// cairo-vm asserts that the points differ; the error says it once, and no panic is mentioned ([`run`] looks for it).
#[test]
fn a_hint_that_panics_is_an_error_alone() {
    let folder = folder();
    let file = folder.path().join("slope.json");
    let slope = "from starkware.python.math_utils import line_slope\n\
                 from starkware.cairo.common.cairo_secp.secp_utils import pack\nSECP_P = 2**255-19\n# Compute the slope.\n\
                 x0 = pack(ids.point0.x, PRIME)\ny0 = pack(ids.point0.y, PRIME)\nx1 = pack(ids.point1.x, PRIME)\n\
                 y1 = pack(ids.point1.y, PRIME)\nvalue = slope = line_slope(point1=(x0, y0), point2=(x1, y1), p=SECP_P)";
    // `ap += 1; call rel 4; jmp rel 0`, and main: `[ap] = 2; ap++` eight times, `[ap] = [fp - 3]; ap++; ret`.
    let start = ["0x40780017fff7fff", "0x1", "0x1104800180018000", "0x4", "0x10780017fff7fff", "0x0"];
    let push = ["0x480680017fff8000", "0x2"].repeat(8);
    let data: Vec<&str> = start.into_iter().chain(push).chain(["0x480a7ffd7fff8000", "0x208b7fff7fff7ffe"]).collect();
    let tracking = serde_json::json!({"group": 0, "offset": 0});
    let point = |at: u32| serde_json::json!({"ap_tracking_data": tracking, "pc": 0, "value": format!("[cast(fp + {at}, felt*)]")});
    let program = serde_json::json!({
        "prime": "0x800000000000011000000000000000000000000000000000000000000000001",
        "builtins": ["output"],
        "data": data,
        "identifiers": {
            "__main__.main": {"type": "function", "pc": 6, "decorators": []},
            "__main__.__start__": {"type": "label", "pc": 0},
            "__main__.__end__": {"type": "label", "pc": 4},
        },
        "hints": {"22": [{"code": slope, "accessible_scopes": ["__main__", "__main__.main"], "flow_tracking_data":
            {"ap_tracking": tracking, "reference_ids": {"__main__.main.point0": 0, "__main__.main.point1": 1}}}]},
        "reference_manager": {"references": [point(0), point(1)]},
        "attributes": [],
        "debug_info": null,
        "compiler_version": "test",
        "main_scope": "__main__",
    });
    fs::write(&file, program.to_string()).expect("there is room");
    for arguments in [&["cairo", "run", text(&file)][..], &["cairo", "prove", text(&file), "-o", "proof"]] {
        let ran = run(arguments);
        assert!(ran.code == 2 && ran.stderr.starts_with("polystark: ") && ran.stderr.lines().count() < 4, "{ran:?}");
        let is_of_the_hint = ran.stderr.contains("is_multiple_of") || ran.stderr.contains("igcdex");
        assert!(is_of_the_hint, "another error than that of the hint: {ran:?}");
    }
}
