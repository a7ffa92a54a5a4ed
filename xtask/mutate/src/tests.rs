//! The tests that must notice: programs that cargo has built, each with the mutants that it met and its time.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// A program of tests.
#[derive(Deserialize, Serialize)]
pub struct Tests {
    /// Its package and target.
    pub name: String,
    program: PathBuf,
    package: PathBuf,
    /// Numbers of the mutants that it meets, once it has run.
    #[serde(skip)]
    pub met: BTreeSet<u32>,
    /// How long it took when all was well.
    #[serde(skip)]
    pub time: Duration,
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// It took much longer than it should.
    Stuck,
}

impl Tests {
    pub fn new(name: String, program: PathBuf, package: PathBuf) -> Self {
        Self { name, program, package, met: BTreeSet::new(), time: Duration::ZERO }
    }

    /// Runs without a mutant; the mutants that it meets are kept.
    pub fn learn(&mut self, list: &Path) -> Result<(), String> {
        let _ = std::fs::remove_file(list);
        let start = Instant::now();
        // Children that tests start are met in, too.
        let outcome = self.run(&[("MUTANTS_MET", &list.display().to_string())], Duration::from_secs(1800))?;
        self.time = start.elapsed();
        if outcome != Outcome::Passed {
            return Err(format!("{} does not pass without a mutant: {outcome:?}", self.name));
        }
        let met = std::fs::read_to_string(list).unwrap_or_default();
        let _ = std::fs::remove_file(list);
        self.met = met.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(())
    }

    /// Runs with a mutant.
    pub fn judge(&self, mutant: u32) -> Result<Outcome, String> {
        self.run(&[("MUTANT", &mutant.to_string())], 5 * self.time + Duration::from_secs(20))
    }

    fn run(&self, environment: &[(&str, &str)], most: Duration) -> Result<Outcome, String> {
        // Code behind a weakened check may ask for any memory.
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 8388608; exec \"$@\"", "sh"]).arg(&self.program);
        command
            .current_dir(&self.package)
            .env("CARGO_MANIFEST_DIR", &self.package)
            .env("PROPTEST_FAILURE_PERSISTENCE", "off");
        command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", self.program.display()))?;
        // One test that fails is enough.
        let lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let has_failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut lines = lines.map_while(Result::ok);
                has_failed.store(lines.any(|line| line.ends_with("FAILED")), Ordering::Relaxed);
                // A program that writes to a closed pipe dies of it.
                lines.for_each(drop);
            });
            let start = Instant::now();
            let outcome = loop {
                match child.try_wait().map_err(|error| error.to_string())? {
                    Some(status) if status.success() => return Ok(Outcome::Passed),
                    Some(_) => return Ok(Outcome::Failed),
                    None if has_failed.load(Ordering::Relaxed) => break Outcome::Failed,
                    None if start.elapsed() > most => break Outcome::Stuck,
                    None => std::thread::sleep(Duration::from_millis(20)),
                }
            };
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            Ok(outcome)
        })
    }
}
