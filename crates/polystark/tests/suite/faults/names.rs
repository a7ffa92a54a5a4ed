//! The named statement is the one that is proven or verified.

mod cairo;
mod options;
mod others;
mod programs;
mod swaps;

use std::fs;
use std::path::PathBuf;

use polystark::Goldilocks3;
use polystark::air::airs::{ExampleAir, Fibonacci2Columns};
use polystark::air_file_name;
use tempfile::TempDir;

use crate::cli::common::{json, npy, run, text, words};

/// A file of `vectors/`.
pub(crate) fn vector(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(path)
}

/// A folder in which files are known by their names.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room for a folder"))
    }

    fn at(&self, name: &str) -> String {
        text(&self.0.path().join(name)).to_owned()
    }

    /// The AIR `fibonacci-2-columns` as a file, its trace, and a proof of them: `NAME.air`, `NAME.npy`, `NAME`.
    fn own(&self, name: &str, rows: u64) -> String {
        let [air, trace, proof] = ["air", "npy", "proof"].map(|kind| self.at(&format!("{name}.{kind}")));
        let ran = words(&format!("record --air fibonacci-2-columns --rows {rows}"), &["-o", &air]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let honest = ExampleAir::<Goldilocks3>::trace(&Fibonacci2Columns::new(rows).expect("a power of two"));
        fs::write(&trace, npy(&honest)).expect("there is room");
        let files = ["--air-file", &air, "--trace-file", &trace, "-o", &proof];
        let ran = words("prove --queries 4 --security conjectured-0", &files);
        assert_eq!(ran.code, 0, "{ran:?}");
        proof
    }

    /// A proof of an AIR that comes with Polystark.
    fn shipped(&self, name: &str, statement: &str) -> String {
        let proof = self.at(name);
        let ran = words(&format!("prove --queries 4 --security conjectured-0 {statement}"), &["-o", &proof]);
        assert_eq!(ran.code, 0, "{statement}: {ran:?}");
        proof
    }
}

/// Takes four queries.
const ANY: [&str; 2] = ["--security", "conjectured-0"];

/// The exit code of `verify`, for any security of the proof, and its message.
fn verified(proof: &str, more: &[&str]) -> (i32, String) {
    let ran = run(["verify", proof].iter().chain(&ANY).chain(more));
    (ran.code, ran.stderr)
}

#[test]
fn the_air_of_the_only_file_is_expected() {
    let folder = Folder::new();
    let (own, other) = (folder.own("own", 64), folder.own("other", 128));
    let [air, other_air] = ["own.air", "other.air"].map(|name| folder.at(name));
    let [quadratic, twin] = [
        folder.shipped("quadratic", "--air quadratic --rows 64"),
        folder.shipped("twin", "--air fibonacci-2-columns --rows 64"),
    ];
    let circle = folder.shipped("circle", "--air fibonacci --rows 64");
    let with = |proof: &str, more: &[&str]| verified(proof, &[&["--air-file", &air], more].concat());
    assert_eq!(with(&own, &[]), (0, String::new()));
    for (proof, found) in
        [(&other, "expected"), (&quadratic, "quadratic"), (&twin, "fibonacci-2-columns"), (&circle, "fibonacci")]
    {
        let (code, said) = with(proof, &[]);
        // The expected AIR is named as its reader knows it.
        assert!(code == 1 && said.contains(found) && said.contains("which is fibonacci-2-columns of "), "{said}");
    }
    // One of two files must be named; both have the same short name, so by its long one.
    let two = |more: &[&str]| with(&own, &[&["--air-file", &other_air], more].concat());
    let names = [&air, &other_air].map(|air| air_file_name(&fs::read(air).expect("it was written")));
    for wrong in [&[][..], &["--expect-air", "fibonacci-2-columns"], &["--expect-air", "quadratic"]] {
        let (code, said) = two(wrong);
        assert!(code == 2 && names.iter().all(|name| said.contains(name)), "{wrong:?}: {said}");
    }
    assert_eq!((two(&["--expect-air", &names[0]]).0, two(&["--expect-air", &names[1]]).0), (0, 1));
    // A copy of the file is the same AIR.
    let copy = folder.at("copy.air");
    fs::copy(&air, &copy).expect("there is room");
    assert_eq!(with(&own, &["--air-file", &copy]).0, 0);
    // Not the AIR that the file has.
    assert_eq!(with(&quadratic, &["--expect-air", "quadratic"]).0, 2);
    // `inspect` looks at any file, and says that these constraints are not meant.
    let ran = run(["inspect", &quadratic, "--air-file", &air]);
    assert!(ran.code == 0 && ran.stderr.contains("of no --air-file"), "{ran:?}");
    assert_eq!(run(["inspect", &own, "--air-file", &air]).stderr, "");
    assert_eq!(words("security --air quadratic --rows 64", &["--air-file", &air]).code, 2);
}

/// The author of a file chooses its name, which may have the form of another file's digest.
#[test]
fn no_file_passes_for_another_by_its_name() {
    let folder = Folder::new();
    let own = folder.own("own", 64);
    let [honest, liar] = ["own.air", "liar.air"].map(|name| folder.at(name));
    let bytes = fs::read(&honest).expect("it was written");
    let digest = air_file_name(&bytes);
    let name = "fibonacci-2-columns";
    let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).expect("it has its name");
    let (before, after) = (&bytes[..at - 1], &bytes[at + name.len()..]);
    fs::write(&liar, [before, &[64], digest.as_bytes(), after].concat()).expect("there is room");
    let proof = folder.at("liar");
    let files = ["--air-file", &liar, "--trace-file", &folder.at("own.npy"), "-o", &proof];
    assert_eq!(words("prove --queries 4 --security conjectured-0", &files).code, 0);
    assert_eq!(verified(&proof, &["--air-file", &liar]).0, 0);
    assert_eq!(verified(&proof, &["--air-file", &liar, "--expect-air", &digest]).0, 2);
    // Beside it the honest one is still found by its digest.
    let both = ["--air-file", &honest, "--air-file", &liar, "--expect-air", &digest];
    assert_eq!((verified(&own, &both).0, verified(&proof, &both).0), (0, 1));
}

/// A file that calls itself as a shipped AIR is called is not that AIR, of whatever protocol.
#[test]
fn no_file_passes_for_a_shipped_air_by_its_name() {
    let folder = Folder::new();
    let own = folder.own("own", 64);
    let bytes = fs::read(folder.at("own.air")).expect("it was written");
    let name = "fibonacci-2-columns";
    let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).expect("it has its name");
    let liar = folder.at("liar.air");
    for shipped in ["fibonacci", "plonk", "quadratic", "read-only-memory", "fibonacci-rap", "wide"] {
        let length = [u8::try_from(shipped.len()).expect("a short name")];
        let changed = [&bytes[..at - 1], &length, shipped.as_bytes(), &bytes[at + name.len()..]].concat();
        fs::write(&liar, &changed).expect("there is room");
        let proof = folder.at("liar");
        let files = ["--air-file", &liar, "--trace-file", &folder.at("own.npy"), "-o", &proof];
        assert_eq!(words("prove --queries 4 --security conjectured-0", &files).code, 0);
        for proof in [&proof, &own] {
            let (code, said) = verified(proof, &["--air-file", &liar, "--expect-air", shipped]);
            assert!(code == 2 && said.contains("rename it"), "{shipped}: {said}");
        }
        // Its digest alone identifies it, without a name.
        let digest = air_file_name(&changed);
        assert_eq!(verified(&proof, &["--air-file", &liar, "--expect-air", &digest]).0, 0);
        assert_eq!(verified(&proof, &["--air-file", &liar]).0, 0);
    }
    // The recording of a shipped AIR is that AIR, for all its parameters.
    for statement in [
        "fibonacci-rap --rows 64 --param steps=20",
        "fibonacci-rap --rows 64 --param steps=63",
        "wide --rows 64 --param width=5 --param degree=1",
        "wide --rows 64 --param width=5 --param degree=2",
        "wide --rows 64 --param width=9 --param degree=7",
    ] {
        let ran = words(&format!("record --air {statement}"), &["-o", &liar]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let shipped = statement.split(' ').next().expect("a name");
        assert_eq!(verified(&own, &["--air-file", &liar, "--expect-air", shipped]).0, 1, "{statement}");
    }
}

/// `--expect-air` takes what `record` printed.
#[test]
fn airs_of_files_have_the_names_that_record_printed() {
    let folder = Folder::new();
    let airs = json(&words("airs --json", &[]));
    let mut recorded = 0;
    for (protocol, list) in [("goldilocks", "airs"), ("circle", "circle_airs")] {
        for air in airs[list].as_array().expect("a list") {
            let name = air["name"].as_str().expect("a name");
            let file = folder.at(name);
            let mut arguments =
                vec!["record", "--json", "--protocol", protocol, "--air", name, "--rows", "64", "-o", &file];
            for (parameter, value) in [("width", "width=3"), ("degree", "degree=8")] {
                if air["parameters"].as_array().expect("a list").iter().any(|known| known["name"] == parameter) {
                    arguments.extend(["--param", value]);
                }
            }
            let ran = run(&arguments);
            if ran.code != 0 {
                continue;
            }
            recorded += 1;
            let long = json(&ran)["name"].as_str().expect("a name").to_owned();
            // Either name is that of the file's AIR, so that the proof, which is of another, is not the expected one.
            let proof = folder.shipped("proof", "--air quadratic --rows 32");
            for asked in [name, &long] {
                let (code, said) = verified(&proof, &["--air-file", &file, "--expect-air", asked]);
                assert!(code == 1 && said.contains(&long), "{name}: {said}");
            }
        }
    }
    assert!(recorded >= 4, "{recorded} AIRs can be recorded");
}

#[test]
fn a_proof_that_nobody_expected_is_valid_with_a_warning() {
    let folder = Folder::new();
    let proof = folder.shipped("proof", "--air fibonacci --rows 64 --param b=3");
    let ran = run(["verify", &proof].iter().chain(&ANY));
    let said = ran.stdout;
    assert!(ran.code == 0 && said.contains("nothing was expected"), "{said}");
    // The flags that are printed expect this statement, and no other.
    let flags = said.lines().find_map(|line| line.trim().strip_prefix("--expect-air ")).expect("a line of flags");
    let flags: Vec<&str> = ["--expect-air"].into_iter().chain(flags.split(' ')).collect();
    let ran = run(["verify", &proof].iter().chain(&ANY).chain(&flags));
    assert!(ran.code == 0 && !ran.stdout.contains("nothing was expected"), "{ran:?}");
    for other in ["--rows 64 --param b=4", "--rows 128 --param b=3"] {
        let other = folder.shipped("other", &format!("--air fibonacci {other}"));
        assert_eq!(verified(&other, &flags).0, 1, "{flags:?}");
    }
    let view = json(&run(["verify", &proof, "--json"].iter().chain(&ANY)));
    assert_eq!(view["vouches_for_multiplicities"], false);
    assert_eq!((&view["nothing_expected"], view["expect_flags"].as_array().map(Vec::len)), (&true.into(), Some(5)));
}

#[test]
fn a_trace_that_would_not_be_used_is_refused() {
    let folder = Folder::new();
    folder.own("own", 64);
    let wrong = folder.at("wrong.npy");
    fs::write(&wrong, b"no trace").expect("there is room");
    for trace in [&folder.at("own.npy"), &wrong, &folder.at("missing.npy")] {
        let proof = folder.at("proof");
        for air in ["--air fibonacci-2-columns --rows 64", "--air fibonacci --rows 64"] {
            let ran = words(&format!("prove {air}"), &["--trace-file", trace, "-o", &proof]);
            assert!(ran.code == 2 && ran.stderr.contains("--trace-file"), "{ran:?}");
            assert!(!fs::exists(&proof).expect("a folder"));
        }
    }
    let ran = words("record --air quadratic --rows 64 --queries 3", &["-o", &folder.at("air")]);
    assert!(ran.code == 2 && ran.stderr.contains("--queries"), "{ran:?}");
}

#[test]
fn spans_do_not_take_the_place_of_anything_else() {
    let folder = Folder::new();
    folder.own("own", 64);
    let [trace, spans, empty] = ["own.npy", "spans", "empty"].map(|name| folder.at(name));
    fs::write(&empty, "").expect("there is room");
    fs::write(folder.at("list.json"), "[\"0x1\"]").expect("there is room");
    for flag in ["--spans", "--trace"] {
        let before = fs::read(&trace).expect("it was written");
        for place in [&trace, &folder.at("own.air"), &folder.at("own.proof"), &folder.at("list.json")] {
            let ran = run(["airs", flag, place]);
            assert!(ran.code == 2 && ran.stderr.contains("something else than spans"), "{ran:?}");
        }
        assert!(fs::read(&trace).expect("it is there") == before, "the trace was overwritten");
        // New, empty, and its own of the call before.
        for place in [&spans, &empty, &spans] {
            let ran = run(["airs", flag, place]);
            assert_eq!((ran.code, ran.stderr.contains("--spans now")), (0, flag == "--trace"), "{ran:?}");
        }
    }
    assert_eq!(run(["airs", "--spans", &spans, "--trace", &empty]).code, 2);
}

/// A command that does nothing leaves the spans of the one before.
#[test]
fn spans_are_whole_or_as_they_were() {
    let folder = Folder::new();
    let spans = folder.at("spans");
    assert_eq!(run(["airs", "--spans", &spans]).code, 0);
    let before = fs::read(&spans).expect("it was written");
    assert!(before.ends_with(b"]"), "the list is not ended");
    for wrong in ["prove --air nothing --rows 64 -o proof", "verify /no/such/file", "cairo run /no/such/file"] {
        let ran = words(wrong, &["--spans", &spans]);
        assert_eq!((ran.code, fs::read(&spans).expect("it is there") == before), (2, true), "{wrong}: {ran:?}");
        assert_eq!(words(wrong, &["--spans", &folder.at("new")]).code, 2);
        assert!(!fs::exists(folder.at("new")).expect("a folder"), "{wrong}");
    }
    let (dash, slash) = (run(["airs", "--spans", "-"]), run(["airs", "--spans", &folder.at("new/")]));
    assert!(dash.code == 2 && dash.stderr.contains("no file") && !fs::exists("-").expect("a folder"), "{dash:?}");
    assert!(slash.code == 2 && slash.stderr.contains("a folder"), "{slash:?}");
}
