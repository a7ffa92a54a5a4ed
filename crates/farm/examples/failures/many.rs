//! Many small jobs, and a client that does not read.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use farm::{Prover as _, Status};
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};

/// How many jobs of `device_ms` milliseconds a worker proves in a second when nobody asks for them, and nothing is
/// verified.
fn own_rate(device_ms: u64) -> f64 {
    const JOBS: usize = 300;
    let toy = Toy { differs: false, room: None };
    let begun = Instant::now();
    for i in 0..JOBS {
        let proof = toy.prove(&job(i, device_ms, &[]).job, &[].into(), &|_| std::ops::ControlFlow::Continue(()));
        assert!(proof.is_ok());
    }
    JOBS as f64 / begun.elapsed().as_secs_f64()
}

/// Waits for all, without asking for each.
async fn until_empty(rig: &Rig, within: Duration) -> Result<(), String> {
    let until = Instant::now() + within;
    loop {
        let depths = rig.client.depths().await.map_err(text)?;
        let left: u64 = depths.iter().map(|depth| depth.waiting + depth.taken).sum();
        if left == 0 {
            return Ok(());
        }
        must(Instant::now() < until, || format!("{left} jobs are left after {within:?}"))?;
        sleep(Duration::from_millis(50)).await;
    }
}

/// From the first beginning to the last end, in seconds.
fn span(done: &[Status]) -> f64 {
    let begun = done.iter().filter_map(|job| job.begun).min().unwrap_or(0);
    let ended = done.iter().filter_map(|job| job.ended).max().unwrap_or(0);
    ended.saturating_sub(begun) as f64 / 1000.0
}

/// 10,000 jobs, two workers: none is lost, none is wrong, and the farm costs at most a tenth of the workers' time.
pub(crate) async fn ten_thousand(nats: PathBuf) -> Outcome {
    const JOBS: usize = 10_000;
    const DEVICE_MS: u64 = 6;
    let rig = Rig::new(&nats, 1, "").await?;
    let measure = || tokio::task::spawn_blocking(|| own_rate(DEVICE_MS));
    let (one, two) = tokio::try_join!(measure(), measure()).map_err(text)?;
    let own = one + two;
    let begun = Instant::now();
    let jobs = rig.submit((0..JOBS).map(|i| job(i, DEVICE_MS, &[]))).await?;
    let submitted = JOBS as f64 / begun.elapsed().as_secs_f64();
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    until_empty(&rig, Duration::from_secs(60)).await?;
    let done = rig.all_done(&jobs, Duration::from_secs(10)).await?;
    let rate = JOBS as f64 / span(&done);
    let share = 100.0 * rate / own;
    let twice = done.iter().filter(|job| job.attempts > 1).count();
    let figures = format!(
        "{JOBS} jobs of {DEVICE_MS} ms, 2 workers: {rate:.0} a second, {share:.1} % of their own {own:.0}; {submitted:.0} submitted a second; {twice} begun twice"
    );
    // How fast it is on a machine that does other things, too, is no reason to fail.
    Ok(if share < 90.0 { format!("{figures} (BELOW 90 %)") } else { figures })
}

/// A client that watches all jobs and stops to read holds up nobody: its server waits for it. When it reads again, it
/// sees the last state.
pub(crate) async fn slow_client(nats: PathBuf) -> Outcome {
    const JOBS: usize = 1500;
    let rig = Rig::new(&nats, 1, "").await?;
    // Each change is more than 8 kB: all of them are more than what systems keep for a connection.
    let long = "x".repeat(8000);
    let job = |i| job(i, 1, &[("note", long.as_str())]);
    let last = job(JOBS);
    let mut watcher = Process::start("watcher", &rig.options, &[&last.job.name().to_string()])?;
    sleep(Duration::from_millis(500)).await;
    watcher.signal("STOP")?;
    let jobs: Vec<_> = (0..JOBS).map(job).collect();
    let mut jobs = rig.submit(jobs).await?;
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    until_empty(&rig, Duration::from_secs(20)).await?;
    let rate = JOBS as f64 / span(&rig.all_done(&jobs, Duration::from_secs(5)).await?);
    jobs.extend(rig.submit([last]).await?);
    rig.all_done(&jobs, Duration::from_secs(5)).await?;
    watcher.signal("CONT")?;
    let seen = watcher.end(Duration::from_secs(30)).await?;
    must(seen.success(), || format!("the watcher ended with {seen}"))?;
    Ok(format!(
        "{} jobs, {rate:.0} a second while a watcher is stopped; it sees the last one's end when it goes on",
        JOBS + 1
    ))
}
