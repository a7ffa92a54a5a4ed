//! The pages under docs/ say what the code says: quoted code is in the file that it is quoted from, links lead
//! somewhere, and commands do what the page says, from an empty folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use polystark::Goldilocks3;
use polystark::air::airs::{ExampleAir, Fibonacci2Columns};
use polystark::field::PrimeField;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the root and the pages directly under docs/, with their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|page| root().join(page)).to_vec();
    let entries = fs::read_dir(root().join("docs")).expect("docs/ is in the repository");
    paths.extend(entries.map(|entry| entry.expect("a readable folder").path()).filter(|path| path.is_file()));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

/// The contents of the Rust blocks.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in page.lines() {
        match (&mut open, line.starts_with("```")) {
            (None, true) => open = Some(String::new()).filter(|_| line == "```rust"),
            (Some(_), true) => blocks.extend(open.take()),
            (Some(block), false) => *block += &format!("{line}\n"),
            (None, false) => {}
        }
    }
    blocks
}

/// The faults of the quotations of a page: each names its file in its first line and stands there word for word.
fn misquotations(page: &str) -> Vec<String> {
    let misquotation = |block: &String| {
        let (first, code) = block.split_once('\n').unwrap_or((block, ""));
        let Some(file) = first.strip_prefix("// ") else {
            return Some(format!("a block that does not name its file: {first}"));
        };
        match fs::read_to_string(root().join(file)) {
            Err(error) => Some(format!("{file}: {error}")),
            Ok(source) if source.contains(code) => None,
            Ok(_) => Some(format!("{file} does not contain\n{code}")),
        }
    };
    blocks(page).iter().filter_map(misquotation).collect()
}

#[test]
fn quoted_code_is_the_code() {
    let mut quoted = 0;
    for (path, page) in pages() {
        // README's code is a documentation test of its own.
        if !path.ends_with("README.md") {
            let wrong = misquotations(&page);
            assert!(wrong.is_empty(), "{}: {}", path.display(), wrong.join("\n"));
            quoted += blocks(&page).len();
        }
    }
    assert!(quoted >= 15, "{quoted} quotations found");
}

/// Files below a folder, with their paths from the root of the repository.
fn files_below(folder: &str) -> Vec<String> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder of the repository") {
            let entry = entry.expect("a readable folder");
            let path = format!("{folder}/{}", entry.file_name().to_str().expect("a name in UTF-8"));
            if entry.path().is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

/// The page about operations lists the files of its example, and no others, and first the files of an operation that is
/// made of others. Provers call it, and quotients that are added up, and are not listed.
#[test]
fn an_operation_is_in_the_files_that_its_page_lists() {
    let page = read(&root().join("docs/add-an-operation.md"));
    let rows = page.lines().filter_map(|line| line.strip_prefix('|')?.split('|').nth(1));
    let listed: Vec<String> =
        rows.filter_map(|cell| Some(cell.trim().strip_prefix('`')?.strip_suffix('`')?.to_owned())).collect();
    let of_backends = ["crates/backend-", "crates/gpu-runtime/", "kernels/"];
    let is_of_all = |path: &&String| of_backends.iter().all(|folder| !path.starts_with(folder));
    assert_eq!(listed.iter().take_while(is_of_all).count(), 9, "files of an operation that is made of others");
    let listed: BTreeSet<String> = listed.into_iter().collect();
    let marks = [
        "fn accumulate",
        "::accumulate",
        ".accumulate(",
        "Accumulate accumulate",
        "op::Accumulate",
        "Shape::Accumulate",
        "KERNEL(accumulate",
        "accumulate(into:",
        "Operation::Accumulate",
    ];
    let callers = ["crates/prover-core/", "crates/backend-placement/src/spilled/quotients.rs"];
    let names_it = |path: &String| {
        let code = path.contains("/src/") || path.starts_with("kernels/");
        code && !callers.iter().any(|caller| path.starts_with(caller))
            && fs::read_to_string(root().join(path)).is_ok_and(|text| {
                text.lines()
                    .any(|line| !line.trim_start().starts_with("//") && marks.iter().any(|mark| line.contains(mark)))
            })
    };
    let found: BTreeSet<String> =
        files_below("crates").into_iter().chain(files_below("kernels")).filter(names_it).collect();
    assert_eq!(found, listed);
}

#[test]
fn a_misquotation_is_found() {
    let quote = |code: &str| format!("text\n```rust\n// crates/polystark/tests/suite/docs.rs\n{code}\n```\nmore\n");
    assert_eq!(misquotations(&quote("fn root() -> PathBuf {")), [""; 0]);
    assert_eq!(misquotations(&quote(&["fn root() ", "-> Path {"].concat())).len(), 1);
    assert_eq!(misquotations("```rust\nlet x = 1;\n```\n").len(), 1);
    assert_eq!(misquotations("```rust\n// crates/nowhere.rs\n```\n").len(), 1);
    assert_eq!(misquotations("```text\nanything\n```\n"), [""; 0]);
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for (path, page) in pages() {
        for target in page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
            let (file, _) = target.split_once('#').unwrap_or((target, ""));
            if file.starts_with("http") {
                continue;
            }
            let folder = path.parent().expect("a page is in a folder");
            assert!(folder.join(file).exists(), "{}: {target} leads nowhere", path.display());
            links += 1;
        }
    }
    assert!(links >= 10, "{links} links found");
}

/// The commands of a page: lines after `$ ` in `console` blocks, each with the exit code that it says, `# exit code N`,
/// or 0.
fn commands(page: &str) -> Vec<(String, i32)> {
    let blocks = page.split("```console\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block);
    let lines = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
    let said = |line: &str| match line.rsplit_once("# exit code ") {
        Some((command, code)) => (command.to_owned(), code.trim().parse().expect("a number")),
        None => (line.to_owned(), 0),
    };
    lines.map(said).collect()
}

/// The trace that prove-a-trace.md has NumPy write: the columns of `fibonacci-2-columns`, 64 rows.
fn trace() -> Vec<u8> {
    let trace = ExampleAir::<Goldilocks3>::trace(&Fibonacci2Columns::new(64).expect("64 rows"));
    let header = "{'descr': '<u8', 'fortran_order': True, 'shape': (64, 2), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.extend(trace.data().iter().flat_map(|value| value.as_u64().to_le_bytes()));
    bytes
}

#[test]
#[cfg(unix)]
fn commands_do_what_their_page_says() {
    let programs = Path::new(env!("CARGO_BIN_EXE_polystark")).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for (page, text) in pages() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        fs::write(folder.path().join("trace.npy"), trace()).expect("there is room for a file");
        for (command, expected) in commands(&text) {
            let output = Command::new("sh").arg("-c").arg(&command).env("PATH", &path).current_dir(&folder).output();
            let output = output.expect("there is a shell");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(expected), "{}: {command}: {said}", page.display());
            ran += 1;
        }
    }
    assert!(ran >= 8, "{ran} commands found");
}

#[test]
fn commands_are_found_with_their_codes() {
    let page = "```console\n$ true\nsays\n$ false # exit code 1\n```\n```text\n$ no\n```\n";
    assert_eq!(commands(page), [("true".to_owned(), 0), ("false ".to_owned(), 1)]);
}
