//! Everything that CI checks beside the tests, in two lanes: while one compiles, the other has programs that run.

use std::fs::{self, File};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{clock, cross, run, wasm};

/// A check, which is a task of this program.
struct Check {
    /// The task.
    name: &'static str,
    /// Its options.
    options: &'static [&'static str],
    /// Folders below `target/` that it alone uses. Where `.ci/run` began, they are deleted after it: a runner's disk
    /// may be too small for all of them at once.
    folders: &'static [&'static str],
    /// Seconds after the beginning of CI from which it is left out: CI has an hour, which is not for what others build.
    latest: Option<u64>,
}

const fn check(name: &'static str, folders: &'static [&'static str]) -> Check {
    Check { name, options: &[], folders, latest: None }
}

/// Checks that build `target/debug/polystark` with the features that each needs, or run it: one after the other, cheap
/// ones first.
const PROGRAM: [Check; 13] = [
    check("fmt", &[]),
    check("circles", &[]),
    check("clippy", &[]),
    check("features", &[]),
    check("docs", &["doc"]),
    check("toy", &["toy"]),
    check("prove", &[]),
    // With the program that tests have built.
    Check { options: &["--profile", "dev"], ..check("dist", &["dist-again", "dist-root", "dist-staging"]) },
    // Both add targets to the tool chain, which rustup does for one at a time.
    check("cross", &cross::TARGETS),
    check("wasm", &wasm::TARGETS),
    check("farm", &[]),
    // They take five minutes, and twice seven to build.
    Check { latest: Some(3000), ..check("miri", &["miri"]) },
    Check { options: &["--seconds", "20"], latest: Some(2600), ..check("oracle", &[]) },
];

/// Checks that do not touch that program.
const BESIDE: [Check; 8] = [
    check("compact", &[]),
    check("circle-python", &[]),
    check("deny", &[]),
    check("fuzz", &["fuzz"]),
    check("kernels", &["nvrtc"]),
    check("metal", &[]),
    check("sanitize", &["sanitize"]),
    check("package", &["package"]),
];

/// Where a check that fails leaves its error for the list at the end.
const ERROR: &str = "POLYSTARK_CI_ERROR";

/// The outcome of a check.
enum Verdict {
    Passed,
    Late,
    Failed(String),
}

/// Runs every check, also after one has failed: who waited an hour learns of all that is wrong.
pub(crate) fn all() -> crate::Result {
    let folder = run::target_directory("ci");
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(fail)?;
    // A check may build this program anew.
    let program = folder.join("xtask");
    fs::copy(std::env::current_exe().map_err(fail)?, &program).map_err(fail)?;
    let lane = |checks: &'static [Check], is_shown| {
        checks.iter().map(|check| (check.name, check.run(&program, is_shown))).collect::<Vec<_>>()
    };
    let verdicts = std::thread::scope(|scope| {
        let beside = scope.spawn(|| lane(&BESIDE, false));
        let mut verdicts = lane(&PROGRAM, true);
        verdicts.extend(beside.join().expect("a lane does not panic"));
        verdicts
    });
    let late: Vec<&str> =
        verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Late)).map(|it| it.0).collect();
    if !late.is_empty() {
        println!("ci: {} checks came too late and did not run: {}", late.len(), late.join(", "));
    }
    let failed = verdicts.iter().filter_map(|(name, verdict)| match verdict {
        Verdict::Failed(error) => Some(format!("{name}: {error}")),
        _ => None,
    });
    let failed: Vec<String> = failed.collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("{} checks failed\n{}", failed.len(), failed.join("\n"))) }
}

impl Check {
    /// Runs it. Its output is shown as it comes, or as a whole at the end.
    fn run(&self, program: &Path, is_shown: bool) -> Verdict {
        if let (Some(latest), Some(seconds)) = (self.latest, clock::since_start())
            && seconds > latest
        {
            println!("{}: not run: CI began {seconds} s ago; run `cargo xtask {}`", self.name, self.name);
            return Verdict::Late;
        }
        let ended = self.ended(program, is_shown);
        if clock::since_start().is_some() {
            self.folders.iter().for_each(|folder| drop(fs::remove_dir_all(run::target_directory(folder))));
        }
        match ended {
            Ok(()) => Verdict::Passed,
            Err(error) => Verdict::Failed(error),
        }
    }

    fn ended(&self, program: &Path, is_shown: bool) -> crate::Result {
        let file = |end: &str| program.with_file_name(format!("{}.{end}", self.name));
        let (output, error) = (file("log"), file("error"));
        let fail = |error: std::io::Error| format!("{}: {error}", output.display());
        let mut command = Command::new(program);
        command.arg(self.name).args(self.options).env(ERROR, &error);
        if !is_shown {
            let log = File::create(&output).map_err(fail)?;
            command.stdout(log.try_clone().map_err(fail)?).stderr(log);
        }
        let _ = fs::remove_file(&error);
        let status = command.status().map_err(fail)?;
        if !is_shown {
            stdout().lock().write_all(&fs::read(&output).map_err(fail)?).map_err(fail)?;
        }
        if status.success() {
            return Ok(());
        }
        Err(fs::read_to_string(&error).unwrap_or_else(|_| format!("it ended with {status}")))
    }
}

/// Leaves the error of a check for the list at the end of `ci`, if it is that which runs.
pub(crate) fn note(error: &str) {
    if let Some(path) = std::env::var_os(ERROR).map(PathBuf::from) {
        let _ = fs::write(path, error);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{BESIDE, PROGRAM};

    #[test]
    fn every_check_is_a_task_with_its_options_and_stands_once() {
        let mut names: Vec<&str> = Vec::new();
        for check in PROGRAM.iter().chain(&BESIDE) {
            let line = ["xtask", check.name].into_iter().chain(check.options.iter().copied());
            let parsed = crate::Arguments::command().try_get_matches_from(line);
            assert!(parsed.is_ok(), "{}: {}", check.name, parsed.expect_err("it is none"));
            assert!(!names.contains(&check.name), "{} stands twice", check.name);
            names.push(check.name);
        }
    }
}
