//! A copy of the repository with all mutants in it, and its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::find::{self, Mutant};
use crate::kernels;
use crate::rewrite::rewrite;
use crate::tests::Tests;
use crate::{each, line};

/// A file and its mutants, by number.
pub struct File {
    /// From the repository's root.
    pub path: String,
    source: String,
    /// All of them, also ones that do not compile.
    pub mutants: Vec<(u32, Mutant)>,
}

/// The kernels, which the emulator compiles when it runs.
const KERNELS: &str = "kernels/";
/// The text that it puts before each of them.
const EMULATOR: &str = "crates/backend-emulated/src/emulator.h";

/// All mutants of the files that these patterns name: a folder's, or a file's.
pub fn find(root: &Path, names: &[String], paths: &[String]) -> Result<Vec<File>, String> {
    let (mut files, mut next) = (Vec::new(), 0);
    for path in names.iter().filter(|name| paths.iter().any(|path| name.starts_with(path))) {
        let is_kernel = path.starts_with(KERNELS) && path.ends_with(".h");
        if !is_kernel && !path.ends_with(".rs") || path.ends_with("tests.rs") || path.contains("/tests/") {
            continue;
        }
        let source = fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let found = match is_kernel {
            true => kernels::mutants(&source),
            false => find::mutants(&source).map_err(|error| format!("{path}: {error}"))?,
        };
        let mutants: Vec<(u32, Mutant)> = (next..).zip(found).collect();
        next += u32::try_from(mutants.len()).map_err(|error| error.to_string())?;
        files.push(File { path: path.clone(), source, mutants });
    }
    Ok(files)
}

/// Code that does not compile.
struct CompileError {
    /// Files and bytes in them: first the error, then the other places that the compiler points to.
    places: Vec<(String, Range<usize>)>,
    text: String,
}

/// Files that git knows or would take.
pub fn names(root: &Path) -> Result<Vec<String>, String> {
    let list = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").current_dir(root).args(list).output().map_err(|error| format!("git: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The folders of the crates that have mutants.
fn crates(files: &[File]) -> BTreeSet<&str> {
    files.iter().filter_map(|file| file.path.split_once("/src/").map(|(of, _)| of)).collect()
}

fn lib(of: &str) -> String {
    format!("{of}/src/lib.rs")
}

/// A copy of the repository below `target`, in which every crate has its mutants and what turns them on.
pub struct Copy {
    root: PathBuf,
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    pub fn new(root: &Path, names: &[String], files: &[File]) -> Result<Self, String> {
        let below = root.join("target/mutate");
        let copy = Self { root: root.into(), tree: below.join("tree"), target: below.join("target") };
        // A file is written when it has mutants: a file that stays as it is need not be compiled again.
        let mutated: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let with_runtime: BTreeSet<String> = crates(files).into_iter().map(lib).collect();
        let is_written = |name: &String| {
            mutated.contains(name.as_str())
                || with_runtime.contains(name)
                || name == EMULATOR && files.iter().any(|file| file.path.starts_with(KERNELS))
        };
        for name in names.iter().filter(|name| !is_written(name)) {
            match fs::read(root.join(name)) {
                Ok(bytes) => copy.write(name, &bytes)?,
                Err(_) => copy.link(name)?,
            }
        }
        Ok(copy)
    }

    /// A link to a folder of the repository becomes one to that of the copy. A link to nothing is left out.
    fn link(&self, name: &str) -> Result<(), String> {
        let link = self.tree.join(name);
        let Ok(to) = fs::read_link(self.root.join(name)) else { return Ok(()) };
        if fs::read_link(&link).is_ok_and(|old| old == to) {
            return Ok(());
        }
        let of = |error: std::io::Error| format!("{}: {error}", link.display());
        fs::create_dir_all(link.parent().unwrap_or(&self.tree)).map_err(of)?;
        std::os::unix::fs::symlink(&to, &link).map_err(of)
    }

    /// Writes the missing part.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.tree.join(name);
        if fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        let of = |error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(path.parent().unwrap_or(&self.tree)).map_err(of)?;
        fs::write(&path, bytes).map_err(of)
    }

    /// Builds the tests of packages; returns them, and the numbers of the mutants that do not compile.
    pub fn build(&self, files: &[File], packages: &[String]) -> Result<(Vec<Tests>, BTreeSet<u32>), String> {
        let crates = crates(files);
        let mut broken = self.known(files);
        loop {
            let mut places = BTreeMap::new();
            for file in files {
                let good: Vec<_> =
                    file.mutants.iter().filter(|(number, _)| !broken.contains(number)).map(|(n, m)| (*n, m)).collect();
                let (mut new, ranges) = rewrite(&file.source, &good);
                if crates.iter().any(|of| file.path == lib(of)) {
                    new.push_str(include_str!("runtime.rs.in"));
                }
                self.write(&file.path, new.as_bytes())?;
                places.insert(file.path.as_str(), ranges);
            }
            for of in &crates {
                let path = lib(of);
                if !places.contains_key(path.as_str()) {
                    let source =
                        fs::read_to_string(self.root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
                    self.write(&path, (source + include_str!("runtime.rs.in")).as_bytes())?;
                }
            }
            if files.iter().any(|file| file.path.starts_with(KERNELS)) {
                let source =
                    fs::read_to_string(self.root.join(EMULATOR)).map_err(|error| format!("{EMULATOR}: {error}"))?;
                self.write(EMULATOR, (source + include_str!("runtime.h.in")).as_bytes())?;
            }
            let (tests, errors) = self.cargo(packages)?;
            if errors.is_empty() {
                return Ok((tests, broken));
            }
            let before = broken.len();
            for error in &errors {
                let within = |a: &Range<usize>, b: &Range<usize>| b.start <= a.start && a.end <= b.end;
                let of = |path: &String| places.get(path.as_str()).map_or(&[][..], Vec::as_slice).iter();
                let mut around = error.places.iter().filter_map(|(path, at)| {
                    of(path).filter(|(_, range)| within(at, range)).min_by_key(|(_, range)| range.len())
                });
                // In a match the compiler names the arm that differs from the weakened one.
                let mut inside =
                    error.places.iter().filter_map(|(path, at)| of(path).find(|(_, range)| within(range, at)));
                let found = around.next().or_else(|| inside.next());
                let (number, _) = found.ok_or_else(|| format!("{:?}: {}", error.places, error.text))?;
                broken.insert(*number);
            }
            if broken.len() == before {
                return Err(format!("the copy does not compile: {}", errors[0].text));
            }
            println!("mutate: {} mutants do not compile", broken.len());
            self.keep(files, &broken)?;
        }
    }

    /// Mutants that did not compile in an earlier run: without them nothing is compiled twice.
    fn known(&self, files: &[File]) -> BTreeSet<u32> {
        let lines = fs::read_to_string(self.broken()).unwrap_or_default();
        let lines: BTreeSet<&str> = lines.lines().collect();
        let known = each(files).filter(|(file, _, mutant)| lines.contains(line(file, mutant).as_str()));
        known.map(|(_, number, _)| number).collect()
    }

    fn keep(&self, files: &[File], broken: &BTreeSet<u32>) -> Result<(), String> {
        let of_these = |name: &str| files.iter().any(|file| name.starts_with(&format!("{}:", file.path)));
        let old = fs::read_to_string(self.broken()).unwrap_or_default();
        let others = old.lines().filter(|name| !of_these(name)).map(str::to_owned);
        let these = each(files).filter(|(_, number, _)| broken.contains(number)).map(|(file, _, of)| line(file, of));
        let lines: Vec<String> = others.chain(these).collect();
        fs::write(self.broken(), lines.join("\n")).map_err(|error| format!("{}: {error}", self.broken().display()))
    }

    fn broken(&self) -> PathBuf {
        self.target.with_file_name("broken")
    }

    /// The tests, or the errors with their places.
    fn cargo(&self, packages: &[String]) -> Result<(Vec<Tests>, Vec<CompileError>), String> {
        let mut command = Command::new("cargo");
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target).args(["test", "--no-run"]);
        command.args(["--message-format", "json"]).args(packages.iter().flat_map(|name| ["-p", name]));
        let output =
            command.stderr(std::process::Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
        let (mut tests, mut errors) = (Vec::new(), Vec::new());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let message: Message = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            if let Some(said) = message.message.filter(|said| said.level == "error") {
                let mut spans = said.spans;
                spans.sort_by_key(|span| !span.is_primary);
                // The last error only counts the others.
                if !spans.is_empty() {
                    let place = |span: SpanOf| (span.file_name, span.byte_start..span.byte_end);
                    errors.push(CompileError { places: spans.into_iter().map(place).collect(), text: said.message });
                }
            }
            if let (Some(program), Some(true)) = (message.executable, message.profile.map(|profile| profile.test)) {
                let package = message.manifest_path.as_deref().and_then(Path::parent).unwrap_or(&self.tree).to_owned();
                let target = message.target.map(|target| target.name).unwrap_or_default();
                let of = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
                tests.push(Tests::new(format!("{of}/{target}"), program, package));
            }
        }
        if !output.status.success() && errors.is_empty() {
            return Err("cargo failed and named no place".into());
        }
        Ok((tests, errors))
    }
}

#[derive(Deserialize)]
struct Message {
    message: Option<Diagnostic>,
    executable: Option<PathBuf>,
    profile: Option<Profile>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    spans: Vec<SpanOf>,
}

#[derive(Deserialize)]
struct SpanOf {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}
