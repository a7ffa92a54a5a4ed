//! Files of a crate that use each other in circles: none may. A file uses another if it names an item that the other
//! defines, directly or through imports of others. Code that only tests compile may use anything.

mod graph;
mod source;
mod uses;

use std::cmp::Ordering;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use self::graph::Edges;
use self::source::{Files, Source};
use crate::run;

/// Crates that still have circles, and how many of their files lie on one. Less is an error, too: numbers only shrink.
///
/// The circle of `gpu-hal` is the traits `Op`, `Operations`, `PlacementOperations` and `Rehearse`, a file each. None of
/// them can be said without `Operations`, and its own text names the other three: `perform` takes any `Op`, moves of
/// tables are a part of what hardware is, and a backend says its `Shapes`. To part them, each backend would have to
/// implement one more trait, and all code that calls a backend to ask for it.
const LEFT: [(&str, usize); 1] = [("gpu-hal", 4)];

/// Checks every crate.
pub(crate) fn all() -> crate::Result {
    let files = |path: &Path| std::fs::read_to_string(run::root().join(path)).ok();
    let mut report = String::new();
    for package in list(Path::new("crates"))? {
        let name = package.file_name().unwrap_or_default();
        let left = LEFT.iter().find(|(left, _)| name == *left).map_or(0, |(_, count)| *count);
        let (mut circles, mut count) = (String::new(), 0);
        for root in roots(&package.join("src"))? {
            let (text, of_root) = self::circles(&files, &root)?;
            circles += &text;
            count += of_root;
        }
        report += &judged(&package, count, left, &circles);
    }
    if report.is_empty() { Ok(()) } else { Err(format!("files use each other in circles:\n{report}")) }
}

/// The fault of a crate that has another number of files on circles than it may have; empty if it has none.
fn judged(package: &Path, count: usize, left: usize, circles: &str) -> String {
    let package = package.display();
    match count.cmp(&left) {
        Ordering::Greater => format!("{package}: {count} files on circles, at most {left}:\n{circles}"),
        Ordering::Less => format!("{package}: {count} files on circles; write that into LEFT, which says {left}\n"),
        Ordering::Equal => String::new(),
    }
}

/// The roots of a crate: its library and programs, by paths from the repository's root.
fn roots(source: &Path) -> Result<Vec<PathBuf>, String> {
    let mut roots = ["lib.rs", "main.rs"].map(|name| source.join(name)).to_vec();
    if run::root().join(source.join("bin")).is_dir() {
        roots.extend(list(&source.join("bin"))?);
    }
    roots.retain(|root| run::root().join(root).is_file());
    Ok(roots)
}

/// The paths in a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(run::root().join(folder)).map_err(failed)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| folder.join(entry.file_name())).map_err(failed))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

/// A smallest circle of each set of files of a crate of which each leads to each other, and how many files those sets
/// have.
fn circles(files: Files, root: &Path) -> Result<(String, usize), String> {
    let source = Source::read(files, root)?;
    let uses = uses::uses(&source);
    let mut edges = Edges::new();
    for (from, to) in uses.keys() {
        edges.entry(*from).or_default().insert(*to);
    }
    let components = graph::components(&edges);
    let mut report = String::new();
    for component in &components {
        let circle = graph::smallest(&edges, component);
        let of = if component.len() == circle.len() { String::new() } else { format!(" of {}", component.len()) };
        writeln!(report, "{}{of} files:", circle.len()).expect("text");
        for (at, from) in circle.iter().enumerate() {
            let to = circle[(at + 1) % circle.len()];
            let path = uses[&(*from, to)].first().map_or("", String::as_str);
            let (from, to) = (source.files[*from].display(), source.files[to].display());
            writeln!(report, "  {from} uses {to}: {path}").expect("text");
        }
    }
    Ok((report, components.iter().map(Vec::len).sum()))
}

#[cfg(test)]
mod tests;
