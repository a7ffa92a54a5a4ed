//! Weakens every check of the verifiers, every constraint of the AIRs, every barrier and bound of the kernels, one at a
//! time, and runs the tests: each must notice. `cargo xtask mutate`.

mod build;
mod find;
mod kernels;
mod rewrite;
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use serde::{Deserialize, Serialize};

use crate::build::{Copy, File};
use crate::find::Mutant;
use crate::tests::{Outcome, Tests};

/// Removes or weakens checks, and runs the tests that meet them.
#[derive(Parser)]
struct Arguments {
    /// The code to weaken: a folder or a file of a crate's `src` or of `kernels`, by its path in the repository;
    /// several, or all of `mutate.toml`.
    paths: Vec<String>,
    /// Packages whose tests must notice: the ones that `mutate.toml` has for it, if none is named.
    #[arg(long = "package", short)]
    packages: Vec<String>,
    /// Programs of tests that run at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Only says what would be done.
    #[arg(long)]
    list: bool,
    /// Builds, writes the data for judging to FILE, and judges nothing: another machine may, without cargo and git,
    /// that has the programs, the packages' folders and `mutate.toml` where this one has them.
    #[arg(long, value_name = "FILE")]
    build: Option<PathBuf>,
    /// Judges the builds by the file written then.
    #[arg(long, value_name = "FILE", conflicts_with = "build")]
    built: Option<PathBuf>,
}

/// The programs and lists that judge the mutants of a part.
#[derive(Deserialize, Serialize)]
struct Built {
    tests: Vec<Tests>,
    /// Mutants that compile, with their files and numbers.
    mutants: Vec<(String, u32, Mutant)>,
    /// How many do not.
    broken: usize,
}

impl Built {
    fn new(
        root: &Path,
        names: &[String],
        files: &[File],
        (packages, without): (&[String], &[String]),
    ) -> Result<Self, String> {
        let (mut tests, broken) = Copy::new(root, names, files)?.build(files, packages)?;
        tests.retain(|tests| !without.contains(&tests.name));
        let good = each(files).filter(|(_, number, _)| !broken.contains(number));
        let mutants = good.map(|(file, number, mutant)| (file.to_owned(), number, mutant.clone())).collect();
        Ok(Self { tests, mutants, broken: broken.len() })
    }

    fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Learns which mutants each program meets, then judges all of them, by `jobs` programs at a time; returns whether
    /// each was noticed or is explained.
    fn judge(mut self, plan: &Plan, jobs: usize) -> Result<bool, String> {
        let list = std::env::temp_dir().join(format!("polystark-mutants-{}", std::process::id()));
        let mut learned = Vec::new();
        for mut tests in self.tests {
            match tests.learn(&list) {
                // Mutants that only this program would notice survive.
                Err(error) => println!("mutate: {error}"),
                Ok(()) => {
                    println!("mutate: {} meets {} in {:.1} s", tests.name, tests.met.len(), tests.time.as_secs_f64());
                    learned.push(tests);
                }
            }
        }
        learned.sort_by_key(|tests| tests.time);
        self.tests = learned;
        let left: Vec<_> = self.mutants.iter().map(|(file, number, mutant)| (file.as_str(), *number, mutant)).collect();
        let verdicts = judge(&self.tests, &left, jobs)?;
        report(plan, &left, &verdicts, self.broken)
    }
}

/// `xtask/mutate/mutate.toml`.
#[derive(Deserialize)]
struct Plan {
    parts: Vec<Part>,
    /// Parts of it that are no checks, by path and reason.
    #[serde(default)]
    except: BTreeMap<String, String>,
    /// Mutants that no test can tell from the program, or that need not be.
    #[serde(default)]
    explained: Vec<Explained>,
}

/// Code that is weakened together.
#[derive(Clone, Deserialize)]
struct Part {
    paths: Vec<String>,
    /// Packages whose tests must notice.
    packages: Vec<String>,
    /// Programs of tests that are not run, by package and name.
    #[serde(default)]
    without: Vec<String>,
}

impl Plan {
    /// The parts that the arguments ask for.
    fn parts(&self, arguments: &Arguments) -> Result<Vec<Part>, String> {
        let mut parts = self.parts.clone();
        if !arguments.paths.is_empty() {
            // A path is of the part that has it, or of one that has a part of it.
            let of = |part: &Part, path: &String| {
                part.paths.iter().any(|all| path.starts_with(all.as_str()) || all.starts_with(path.as_str()))
            };
            for part in &mut parts {
                let paths = arguments.paths.iter().filter(|path| of(part, path)).cloned().collect();
                part.paths = paths;
            }
            let unknown = |path: &&String| !parts.iter().any(|part| part.paths.contains(path));
            if let (Some(path), true) = (arguments.paths.iter().find(unknown), arguments.packages.is_empty()) {
                return Err(format!("mutate.toml has no tests for {path}: name packages by -p"));
            }
            if !arguments.packages.is_empty() {
                parts = vec![Part { paths: arguments.paths.clone(), packages: Vec::new(), without: Vec::new() }];
            }
        }
        if !arguments.packages.is_empty() {
            parts.iter_mut().for_each(|part| part.packages = arguments.packages.clone());
        }
        parts.retain(|part| !part.paths.is_empty());
        Ok(parts)
    }
}

#[derive(Deserialize)]
struct Explained {
    file: String,
    function: String,
    /// The change; every change, if this is not given.
    how: Option<String>,
    /// The beginning of the text.
    text: String,
    why: String,
}

impl Explained {
    fn is_of(&self, file: &str, mutant: &Mutant) -> bool {
        let how = self.how.as_deref().is_none_or(|how| how == mutant.how);
        how && self.file == file && self.function == mutant.function && mutant.text.starts_with(&self.text)
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutate: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<bool, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root: PathBuf = here.ancestors().nth(2).ok_or("no root")?.into();
    let plan = std::fs::read_to_string(here.join("mutate.toml")).map_err(|error| format!("mutate.toml: {error}"))?;
    let plan: Plan = toml::from_str(&plan).map_err(|error| format!("mutate.toml: {error}"))?;
    if let Some(path) = &arguments.built {
        return Built::read(path)?.judge(&plan, arguments.jobs);
    }
    let names = build::names(&root)?;
    let checks: Vec<String> = names.iter().filter(|name| !plan.except.contains_key(*name)).cloned().collect();
    let mut all_noticed = true;
    let parts = plan.parts(&arguments)?;
    if parts.len() > 1 && arguments.build.is_some() {
        return Err("what is built is one part: name its paths".into());
    }
    for Part { paths, packages, without } in parts {
        let files = build::find(&root, &checks, &paths)?;
        let count: usize = files.iter().map(|file| file.mutants.len()).sum();
        println!("mutate: {count} mutants in {} files of {}", files.len(), paths.join(", "));
        if arguments.list {
            each(&files).for_each(|(file, number, mutant)| println!("{number}: {}", line(file, mutant)));
            continue;
        }
        let built = Built::new(&root, &names, &files, (&packages, &without))?;
        match &arguments.build {
            Some(path) => built.write(path)?,
            None => all_noticed &= built.judge(&plan, arguments.jobs)?,
        }
    }
    Ok(all_noticed)
}

fn each(files: &[File]) -> impl Iterator<Item = (&str, u32, &Mutant)> {
    files.iter().flat_map(|file| file.mutants.iter().map(|(number, mutant)| (file.path.as_str(), *number, mutant)))
}

fn line(file: &str, mutant: &Mutant) -> String {
    format!("{file}:{} {}: {}: {}", mutant.line, mutant.function, mutant.how, mutant.text)
}

/// The verdict on a mutant.
enum Verdict {
    /// Noticed by these tests.
    Killed(String),
    /// All tests passed that meet it.
    Survived,
    /// No test meets it.
    NotMet,
}

fn judge(tests: &[Tests], left: &[(&str, u32, &Mutant)], jobs: usize) -> Result<BTreeMap<u32, Verdict>, String> {
    let (next, verdicts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || -> Result<(), String> {
        while let Some((file, number, mutant)) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut verdict = Verdict::NotMet;
            for tests in tests.iter().filter(|tests| tests.met.contains(number)) {
                verdict = Verdict::Survived;
                if tests.judge(*number)? != Outcome::Passed {
                    verdict = Verdict::Killed(tests.name.clone());
                    break;
                }
            }
            if !matches!(verdict, Verdict::Killed(_)) {
                println!("mutate: survives: {}", line(file, mutant));
            }
            verdicts.lock().map_err(|_| "a thread panicked")?.insert(*number, verdict);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    verdicts.into_inner().map_err(|_| "a thread panicked".into())
}

/// Prints what came of all; whether each was noticed or is explained.
fn report(
    plan: &Plan,
    left: &[(&str, u32, &Mutant)],
    verdicts: &BTreeMap<u32, Verdict>,
    broken: usize,
) -> Result<bool, String> {
    let (mut by_tests, mut explained, mut bad) = (BTreeMap::<&str, usize>::new(), Vec::new(), Vec::new());
    for (file, number, mutant) in left {
        match (&verdicts[number], plan.explained.iter().find(|explained| explained.is_of(file, mutant))) {
            (Verdict::Killed(by), _) => *by_tests.entry(by).or_default() += 1,
            (_, Some(reason)) => explained.push(format!("{}: {}", line(file, mutant), reason.why)),
            (Verdict::Survived, None) => bad.push(format!("all tests pass: {}", line(file, mutant))),
            (Verdict::NotMet, None) => bad.push(format!("no test meets: {}", line(file, mutant))),
        }
    }
    println!("\nKilled by");
    by_tests.iter().for_each(|(by, count)| println!("  {count:5} {by}"));
    println!("Explained");
    explained.iter().for_each(|line| println!("  {line}"));
    println!("Survived");
    bad.iter().for_each(|line| println!("  {line}"));
    let killed: usize = by_tests.values().sum();
    println!(
        "mutate: {} mutants, {killed} killed, {} explained, {} survived; {broken} more do not compile",
        left.len(),
        explained.len(),
        bad.len()
    );
    Ok(bad.is_empty())
}
