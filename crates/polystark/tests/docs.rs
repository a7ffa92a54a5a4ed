//! The pages under docs/ say what the code says: quoted code is in the file that it is quoted from, and links lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the root and those directly under docs/, with their paths.
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

/// What is wrong with the quotations of a page: each names its file in its first line and stands there word for word.
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

#[test]
fn a_misquotation_is_found() {
    let quote = |code: &str| format!("text\n```rust\n// crates/polystark/tests/docs.rs\n{code}\n```\nmore\n");
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
