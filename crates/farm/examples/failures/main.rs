//! A farm under failures, with real servers on loopback: `failures PATH-OF-NATS-SERVER [CASE...]`. Each case starts
//! servers and workers (processes of this program), breaks something, and checks that no job is lost and that no proof
//! is wrong. A line for each. One that fails beside others is run again by itself; the program ends with an error if
//! one fails twice.
#![forbid(unsafe_code)]

mod cases;
mod disk;
mod jwt;
mod many;
mod never;
mod processes;
mod rig;
mod servers;
mod space;
mod stuck;
mod tls;
mod toy;
mod waiting;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};

/// The result of a case: figures, or the fault.
type Outcome = Result<String, String>;

/// A case and its name.
type Case = (&'static str, fn(PathBuf) -> BoxFuture<'static, Outcome>);

/// The last two measure.
const CASES: [Case; 18] = [
    ("servers-killed", |nats| Box::pin(cases::servers_killed(nats))),
    ("worker-killed", |nats| Box::pin(cases::worker_killed(nats))),
    ("stuck-worker", |nats| Box::pin(stuck::stopped(nats))),
    ("wrong-worker", |nats| Box::pin(stuck::differs(nats))),
    ("stuck-prover", |nats| Box::pin(stuck::hangs(nats))),
    ("full-disk", |nats| Box::pin(disk::full(nats))),
    ("full-file-system", |nats| Box::pin(space::full(nats))),
    ("lost-messages", |nats| Box::pin(disk::lost_messages(nats))),
    ("cancelled-and-wanted", |nats| Box::pin(disk::cancelled_and_wanted(nats))),
    ("poisoned-jobs", |nats| Box::pin(cases::poisoned(nats))),
    ("cancel-and-drain", |nats| Box::pin(cases::cancel_and_drain(nats))),
    ("limits-and-keys", |nats| Box::pin(tls::limits_and_keys(nats))),
    ("credentials", |nats| Box::pin(jwt::credentials(nats))),
    ("never-and-waits", |nats| Box::pin(never::never(nats))),
    ("held-up", |nats| Box::pin(waiting::held_up(nats))),
    ("forgotten", |nats| Box::pin(waiting::forgotten(nats))),
    ("slow-client", |nats| Box::pin(many::slow_client(nats))),
    ("many-small-jobs", |nats| Box::pin(many::ten_thousand(nats))),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("failures: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = match arguments.split_first() {
        Some((role, rest)) if role == "worker" => runtime.block_on(processes::worker(rest)),
        Some((role, rest)) if role == "watcher" => runtime.block_on(processes::watcher(rest)),
        Some((nats, cases)) => runtime.block_on(all(nats.into(), cases)),
        None => {
            eprintln!("failures PATH-OF-NATS-SERVER [CASE...]");
            2
        }
    };
    // A prover that hangs keeps its thread: nobody waits for it.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// Runs a case and prints its line. Whether it holds.
async fn one(nats: &Path, (name, case): &Case) -> bool {
    let begun = Instant::now();
    let outcome = tokio::time::timeout(std::time::Duration::from_secs(90), case(nats.into())).await;
    let seconds = begun.elapsed().as_secs_f64();
    let outcome = outcome.unwrap_or_else(|_| Err("it does not end".into()));
    match &outcome {
        Ok(figures) => println!("{name:20} ok      {seconds:5.1} s  {figures}"),
        Err(error) => println!("{name:20} FAILED  {seconds:5.1} s  {error}"),
    }
    outcome.is_ok()
}

async fn all(nats: PathBuf, wanted: &[String]) -> u8 {
    if let Some(unknown) = wanted.iter().find(|name| CASES.iter().all(|(case, _)| case != name)) {
        eprintln!("failures: there is no case `{unknown}`");
        return 2;
    }
    let start = Instant::now();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    // Most of the time they wait, so several do at a time; cases that measure have the machine for themselves.
    let (waiting, measuring) = CASES.split_at(CASES.len() - 2);
    let mut again: Vec<&Case> = Vec::new();
    for (cases, at_a_time) in [(waiting, 4), (measuring, 1)] {
        let cases = cases.iter().filter(|(name, _)| is_wanted(name));
        let cases = cases.map(async |case| (case, one(&nats, case).await));
        let ended: Vec<(&Case, bool)> = stream::iter(cases).buffer_unordered(at_a_time).collect().await;
        again.extend(ended.into_iter().filter(|(_, ok)| !ok).map(|(case, _)| case));
    }
    // Cases count attempts under leases of a second: a machine that stalls for longer takes a job from a worker that is
    // well. A defect shows by itself, too.
    let mut failed = 0_usize;
    for case in again {
        println!("{:20} once more, by itself", case.0);
        failed += usize::from(!one(&nats, case).await);
    }
    println!("{failed} failed, {:.1} s in all", start.elapsed().as_secs_f64());
    u8::from(failed > 0)
}
