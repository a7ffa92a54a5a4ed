//! A backend from a shared library: one device, several, and the host's memory.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};

use super::common::{Proved, json, text, words};

/// The path of the example `two_devices`, which `cargo test` builds with the tests.
fn library() -> String {
    let program = std::env::current_exe().expect("this program's path");
    let folder = program.parent().and_then(|deps| deps.parent()).expect("a folder of cargo's");
    let path = folder.join("examples").join(format!("{DLL_PREFIX}two_devices{DLL_SUFFIX}"));
    assert!(path.exists(), "{path:?} is missing: `cargo build -p polystark --example two_devices` makes it");
    text(&path).to_owned()
}

/// Extended to 2^13 rows and more, which are cut in two.
const STATEMENTS: [&str; 2] = [
    "--air fibonacci-rap --rows 4096 --format lambdaworks --queries 3 --grinding 1 --security claimed-0",
    "--protocol circle --air plonk --rows 4096 --queries 3 --pow-bits 1 --security claimed-0",
];

#[test]
fn devices_of_a_library_write_the_file_of_the_processor() {
    let library = library();
    for statement in STATEMENTS {
        let of_processor = Proved::new(&format!("prove --backend cpu --threads 2 {statement}"));
        let line = format!("prove --json {statement} --backend");
        let file = of_processor.sibling(&[]);
        for (place, backend, spills) in [
            (&[][..], "cpu", false),
            (&["--device", "1"], "cpu", false),
            (&["--devices", "2"], "2 x cpu", false),
            (&["--devices", "1,0"], "2 x cpu", false),
            (&["--spill", "host"], "cpu", false),
            (&["--spill", "host:2^20"], "cpu", true),
            (&["--devices", "2", "--spill", "host:2^20"], "2 x cpu", true),
        ] {
            let ran = words(&line, &[&[library.as_str(), "-o", text(&file)], place].concat());
            assert_eq!(ran.code, 0, "{place:?}: {ran:?}");
            let view = json(&ran);
            assert_eq!(view["backend"], backend, "{place:?}: {view}");
            assert_eq!(view["moved_bytes"].as_u64().unwrap_or(0) > 1 << 20, spills, "{place:?}: {view}");
            assert!(std::fs::read(&file).unwrap() == of_processor.bytes(), "{statement} on {place:?}");
        }
    }
}

#[test]
fn devices_that_a_library_does_not_have_are_refused_with_its_name() {
    let library = library();
    let line = "prove --air fibonacci-rap --rows 4096 -o /dev/null --backend";
    for (place, code, says) in [
        (&["--devices", "4"][..], 2, "has no device 2, which is asked for with others (`--devices`): it has 2"),
        (&["--devices", "0,7"], 2, "has no device 7"),
        (&["--devices", "1,1"], 2, "device 1 is named twice"),
        (&["--device", "2"], 3, "there is no device 2: there are 2"),
        (&["--spill", "host:4096"], 3, "at once, and the device has 4096 bytes"),
    ] {
        let ran = words(line, &[&[library.as_str()], place].concat());
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.stderr.contains(says), "{says}: {ran:?}");
        assert!(!says.starts_with("has no device") || ran.stderr.contains(&library), "{ran:?}");
    }
}
