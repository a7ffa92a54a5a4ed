//! The process for the run of a stranger's program, which another process has started (`apart.rs`).

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use farm::Prover as _;
use sdk::Registry;

use super::apart::{Answer, SUBCOMMAND, Task};
use super::run;
use crate::arguments::DeviceArguments;
use crate::farm::bounds::Bounds;
use crate::farm::prover::Statements;
use crate::report::exit::Failure as Ended;

/// The hidden subcommand.
pub(in crate::farm) fn serve(registry: &Arc<Registry>) -> Result<(), Ended> {
    let failed =
        |what: &str| Ended::usage(format!("{what}: `farm {SUBCOMMAND}` is for `farm worker` and `farm serve` alone"));
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    (&mut stdin).take(1 << 20).read_until(b'\n', &mut line).map_err(|error| failed(&error.to_string()))?;
    let task: Task = serde_json::from_slice(&line).map_err(|error| failed(&error.to_string()))?;
    limit(task.most_bytes);
    let mut inputs = BTreeMap::new();
    for (role, length) in &task.inputs {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(*length).map_err(|error| failed(&error.to_string()))?;
        (&mut stdin).take(*length as u64).read_to_end(&mut bytes).map_err(|error| failed(&error.to_string()))?;
        inputs.insert(role.clone(), Bytes::from(bytes));
    }
    drop(stdin);
    // The asking process has ended when the pipe is closed: nobody waits for the answer any more.
    std::thread::spawn(|| {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        std::process::exit(0);
    });
    let (answer, run) = match task.plan {
        Some((plan_seconds, prove_seconds)) => {
            let bounds = Bounds { plan_seconds, prove_seconds };
            let planner = Statements::new(Arc::clone(registry), DeviceArguments::planner(), bounds);
            let needs = planner.needs(&task.job, &inputs);
            (needs.map_or_else(Answer::Wrong, |needs| Answer::Plan(needs.bytes)), None)
        }
        None => match run(&task.job, &inputs) {
            Ok((run, printed)) => (Answer::Run(printed), Some(run)),
            Err(why) => (Answer::Wrong(why), None),
        },
    };
    let mut stdout = io::stdout().lock();
    let mut write = || -> io::Result<()> {
        stdout.write_all(&serde_json::to_vec(&answer)?)?;
        stdout.write_all(b"\n")?;
        if let Some(run) = &run {
            stdout.write_all(&(run.len() as u64).to_le_bytes())?;
            stdout.write_all(run)?;
        }
        stdout.flush()
    };
    write().map_err(|error| failed(&error.to_string()))
}

/// Bounds the address space of this process.
#[cfg(unix)]
fn limit(most_bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    if let Some(most) = most_bytes {
        let before = getrlimit(Resource::As);
        let most = before.maximum.map_or(most, |maximum| most.min(maximum));
        // A bound that cannot be set is left out: the time is bounded all the same.
        let _ = setrlimit(Resource::As, Rlimit { current: Some(most), maximum: before.maximum });
    }
    // An abort leaves no picture of the memory behind.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// Elsewhere the time alone is bounded.
#[cfg(not(unix))]
fn limit(_: Option<u64>) {}
