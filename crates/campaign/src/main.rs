//! Runs a target on many cases, without libFuzzer: `campaign TARGET --cases N [--threads T] [--seed S] [--first N]
//! [--seconds LIMIT] [--backend cpu|emulated|emulated-metal|cuda] [--programs N]`; `campaign
//! list` names the targets, `campaign TARGET --replay PATH` runs one case again, or all in a folder.
//!
//! A case is a function of the seed and of its number. The result of all of them is one line of JSON; a case that
//! failed is written to a file in the current folder, and the exit code is 1.
#![forbid(unsafe_code)]

mod arguments;
mod backends;
mod bounds;
mod changed;
mod compact_rounds;
mod operations;
mod rounds;
mod run;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use arguments::Arguments;
use campaign::{Outcome, input, targets};
use run::Run;

/// The results of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    cases: u64,
    taken: u64,
    originals: u64,
    nonces: u64,
    accepted: u64,
    panics: u64,
    slowest: Duration,
}

fn target(arguments: &Arguments) -> Result<Run, String> {
    match targets().into_iter().find(|(name, _)| *name == arguments.target) {
        Some((_, run)) => Ok(Box::new(run)),
        None => rounds::open(arguments).unwrap_or_else(|| operations::open(arguments)),
    }
}

/// Runs cases until there are no more, or the time is over.
fn work(arguments: &Arguments, next: &AtomicU64, start: Instant) -> Result<Tally, String> {
    let (mut run, mut tally) = (target(arguments)?, Tally::default());
    let end = arguments.first + arguments.cases;
    while arguments.seconds.is_none_or(|limit| start.elapsed().as_secs() < limit) {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= end {
            break;
        }
        let data = input(arguments.seed, number);
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&data)));
        tally.slowest = tally.slowest.max(began.elapsed());
        tally.cases += 1;
        match outcome {
            Ok(Outcome::Passed) => continue,
            Ok(Outcome::Taken) => tally.taken += 1,
            Ok(Outcome::Original) => tally.originals += 1,
            Ok(Outcome::Nonce) => tally.nonces += 1,
            Ok(Outcome::Accepted) => {
                tally.accepted += 1;
                keep(arguments, number, &data)?;
            }
            Err(_) => {
                tally.panics += 1;
                keep(arguments, number, &data)?;
                // A panic may have left anything behind.
                run = target(arguments)?;
            }
        }
    }
    Ok(tally)
}

/// Writes a case that failed.
fn keep(arguments: &Arguments, number: u64, data: &[u8]) -> Result<(), String> {
    let file = format!("failed-{}-{}-{number}.case", arguments.target.replace('/', "-"), arguments.seed);
    eprintln!("campaign: case {number} failed: {file}");
    fs::write(&file, data).map_err(|error| format!("{file}: {error}"))
}

/// Runs a case again, or all of a folder.
fn replay(arguments: &Arguments, path: &Path) -> Result<bool, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(fail)?;
        files = entries.map(|entry| Ok(entry.map_err(fail)?.path())).collect::<Result<_, String>>()?;
        files.sort();
    }
    let mut run = target(arguments)?;
    let mut outcome = |file: &PathBuf| -> Result<bool, String> {
        let data = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let outcome = run(&data);
        println!("{}: {outcome:?}", file.display());
        Ok(outcome != Outcome::Accepted)
    };
    files.iter().try_fold(true, |all, file| Ok(outcome(file)? && all))
}

fn campaign(arguments: &Arguments) -> Result<bool, String> {
    if let Some(path) = &arguments.replay {
        return replay(arguments, Path::new(path));
    }
    // Originals are read, and a device is opened once, before time and memory are looked at.
    // A case that fails is found again below.
    let mut first = target(arguments)?;
    let _ = catch_unwind(AssertUnwindSafe(|| first(&input(arguments.seed, arguments.first))));
    drop(first);
    let before = campaign::peak();
    let (next, start) = (AtomicU64::new(arguments.first), Instant::now());
    let tallies = thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(|| work(arguments, &next, start))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err("a thread ended: the target cannot be opened again".to_owned()))
        };
        threads.into_iter().map(join).collect::<Result<Vec<Tally>, String>>()
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let slowest = tallies.iter().map(|tally| tally.slowest).max().unwrap_or_default();
    let (cases, accepted, panics) = (sum(|t| t.cases), sum(|t| t.accepted), sum(|t| t.panics));
    println!(
        "{{\"target\":\"{}\",\"backend\":\"{}\",\"seed\":{},\"first\":{},\"cases\":{cases},\"seconds\":{seconds:.1},\
         \"per_second\":{:.0},\"accepted\":{accepted},\"panics\":{panics},\"taken\":{},\"unchanged\":{},\"other_nonce\":{},\
         \"slowest_ms\":{:.1},\"more_peak_bytes\":{}}}",
        arguments.target,
        arguments.backend,
        arguments.seed,
        arguments.first,
        cases as f64 / seconds.max(1e-9),
        sum(|t| t.taken),
        sum(|t| t.originals),
        sum(|t| t.nonces),
        slowest.as_secs_f64() * 1e3,
        campaign::peak().saturating_sub(before),
    );
    Ok(accepted == 0 && panics == 0)
}

fn main() -> ExitCode {
    let result = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| {
        if arguments.target == "list" {
            targets().iter().for_each(|(name, _)| println!("{name}"));
            rounds::NAMES.iter().for_each(|name| println!("{name}"));
            operations::names().for_each(|name| println!("{name}"));
            return Ok(true);
        }
        campaign(&arguments)
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("campaign: {error}");
            ExitCode::from(2)
        }
    }
}
