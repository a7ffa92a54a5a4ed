//! Workers and servers that are killed, jobs that are poison, cancellation and the end of a worker.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use farm::{Priority, State, Submission};
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::toy::{gated, job};

const SOON: Duration = Duration::from_secs(20);

/// A worker is killed in the middle of a job: the other one makes that proof, too.
pub(crate) async fn worker_killed(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let mut a = Process::worker(&rig.options, "a")?;
    let gate = rig.gate("gate");
    let jobs = rig.submit((0..8).map(|i| if i == 0 { gated(i, 300, &gate, &[]) } else { job(i, 300, &[]) })).await?;
    rig.until_running(jobs[0].name).await?;
    a.kill();
    gate.open()?;
    let killed = Instant::now();
    let mut middle = rig.client.list(Some(State::Running), 9, None).await.map_err(text)?;
    must(middle.len() == 1, || format!("a worker has {} jobs at a time", middle.len()))?;
    let middle = middle.remove(0).name;
    let _b = Process::worker(&rig.options, "b")?;
    let done = rig.all_done(&jobs, SOON).await?;
    for job in &done {
        let attempts = if job.name == middle { 2 } else { 1 };
        must(job.attempts == attempts, || format!("{} attempts, not {attempts}", job.attempts))?;
        let dead = job.name == middle && job.worker.as_deref() != Some("b");
        must(!dead, || "a dead worker has published".into())?;
    }
    Ok(format!("8 jobs, 1 begun again, all done {:.1} s after the kill", killed.elapsed().as_secs_f64()))
}

/// The leader of the queue is killed among three servers, then all are, while jobs are submitted and proven.
pub(crate) async fn servers_killed(nats: PathBuf) -> Outcome {
    let mut rig = Rig::new(&nats, 3, "").await?;
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    let (early, late) = (rig.gate("early"), rig.gate("late"));
    let gated = |i, gate| if i % 20 == 0 { gated(i, 100, gate, &[]) } else { job(i, 100, &[]) };
    let mut jobs = rig.submit((0..20).map(|i| gated(i, &early))).await?;
    rig.until_running(jobs[0].name).await?;
    // The one that leads the queue.
    let context = async_nats::jetstream::new(async_nats::connect(rig.servers[0].url()).await.map_err(text)?);
    let queue = context.get_stream(format!("{}-queue", rig.options.prefix)).await.map_err(text)?;
    let leader = queue.cached_info().cluster.as_ref().and_then(|cluster| cluster.leader.clone());
    let first =
        leader.and_then(|name| name.strip_prefix('s')?.parse::<usize>().ok()).ok_or("the queue has no leader")?;
    let one = Instant::now();
    rig.servers[first].kill();
    early.open()?;
    jobs.extend(rig.submit((20..40).map(|i| job(i, 100, &[]))).await?);
    rig.all_done(&jobs, SOON).await?;
    let one = one.elapsed().as_secs_f64();
    rig.servers[first].restart()?;
    let more = rig.submit((40..60).map(|i| gated(i, &late))).await?;
    rig.until_running(more[0].name).await?;
    // A client that waits when all servers die hears of the end nevertheless.
    let (client, last) = (rig.client.clone(), more[19].name);
    let waits = tokio::spawn(async move { client.wait(last).await });
    let all = Instant::now();
    for server in &mut rig.servers {
        server.kill();
    }
    late.open()?;
    sleep(Duration::from_millis(500)).await;
    for server in &mut rig.servers {
        server.restart()?;
    }
    jobs.extend(more);
    rig.all_done(&jobs, Duration::from_secs(40)).await?;
    let all = all.elapsed().as_secs_f64();
    let waited = tokio::time::timeout(SOON, waits).await.map_err(|_| "a client waits for a job that is done")?;
    let waited = waited.map_err(text)?.map_err(text)?;
    must(waited.state == State::Done, || format!("it waited for a job that is {}", waited.state))?;
    Ok(format!(
        "60 jobs, 3 servers; 40 done {one:.1} s after the queue's leader was killed, 20 done {all:.1} s after all were"
    ))
}

/// Jobs that crash their worker, panic, fail or are wrong are set aside or fail, with their error; the others are done.
pub(crate) async fn poisoned(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let poison = ["crash", "panic", "fail", "corrupt", "refuse"];
    let bad: Vec<_> = (0..).zip(poison).map(|(i, does)| job(i, 20, &[("does", does)])).collect();
    let bad = rig.submit(bad).await?;
    let slow = rig.submit([job(9, 20, &[("verify-ms", "5000")])]).await?;
    let good = rig.submit((10..40).map(|i| job(i, 20, &[]))).await?;
    // A worker that crashes is started again, as a service manager would.
    let mut workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    let mut crashes = 0;
    let mut open: Vec<_> = bad.iter().chain(&slow).map(|job| job.name).collect();
    let until = Instant::now() + SOON;
    while !open.is_empty() {
        for (worker, name) in workers.iter_mut().zip(["a", "b"]) {
            if worker.ended().is_some() {
                crashes += 1;
                *worker = Process::worker(&rig.options, name)?;
            }
        }
        let mut still = Vec::new();
        for name in open {
            if !rig.client.status(name).await.map_err(text)?.state.is_final() {
                still.push(name);
            }
        }
        open = still;
        must(Instant::now() < until, || format!("{} poisoned jobs are not set aside", open.len()))?;
        sleep(Duration::from_millis(50)).await;
    }
    rig.all_done(&good, SOON).await?;
    let wanted = [
        (State::SetAside, "fell silent in attempt 3"),
        (State::SetAside, "it panicked: as it was told"),
        (State::SetAside, "the device is hot"),
        (State::SetAside, "the proof is not published: it is another chain"),
        (State::Failed, "the trace is wrong"),
        (State::SetAside, "not verified in 2 s"),
    ];
    for (job, (state, error)) in bad.iter().chain(&slow).zip(wanted) {
        let now = rig.client.status(job.name).await.map_err(text)?;
        let says = now.error.as_deref().unwrap_or_default();
        must(now.state == state && says.contains(error), || {
            format!("it is {} ({says}), not {state} ({error})", now.state)
        })?;
    }
    must(crashes == 3, || format!("{crashes} crashes by a job with 3 attempts"))?;
    Ok("30 done; set aside: 1 that crashes (3 workers), panics, fails, computes wrongly, is slow to verify; 1 wrong one failed"
        .to_owned())
}

/// Cancelled jobs stop, whether they wait or run. A worker that is told to end finishes its job and gives back the
/// others.
pub(crate) async fn cancel_and_drain(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let mut a = Process::worker(&rig.options, "a")?;
    let long = rig.submit([job(0, 60_000, &[])]).await?.remove(0);
    rig.until_running(long.name).await?;
    let urgent = |i| Submission { priority: Priority::High, ..job(i, 400, &[]) };
    let waiting = rig.submit((1..4).map(|i| job(i, 400, &[])).chain([urgent(4), urgent(5)])).await?;
    // It runs, or waits: both end at once.
    rig.client.cancel(waiting[0].name).await.map_err(text)?;
    let cancelled = Instant::now();
    rig.client.cancel(long.name).await.map_err(text)?;
    let waited = rig.client.wait(long.name).await.map_err(text)?;
    must(waited.state == State::Cancelled, || format!("it is {}", waited.state))?;
    // The next job says that it has stopped.
    let urgent = rig.until(waiting[3].name, "begun", Duration::from_secs(5), |job| job.attempts > 0).await?;
    let freed = cancelled.elapsed().as_secs_f64();
    must(urgent.state == State::Running, || format!("it is {}", urgent.state))?;
    let others = [&waiting[1], &waiting[2]];
    for job in others {
        let now = rig.client.status(job.name).await.map_err(text)?;
        must(now.attempts == 0, || "a job of normal priority went before an urgent one".into())?;
    }
    a.signal("TERM")?;
    let ended = a.end(Duration::from_secs(5)).await?;
    must(ended.success(), || format!("the worker ended with {ended}"))?;
    let now = rig.client.status(urgent.name).await.map_err(text)?;
    must(now.state == State::Done, || format!("the job of a worker that was to end is {}", now.state))?;
    must(rig.client.workers().await.map_err(text)?.is_empty(), || "a worker that has ended is listed".into())?;
    let _b = Process::worker(&rig.options, "b")?;
    let done = rig.all_done(&waiting[1..], SOON).await?;
    must(done.iter().all(|job| job.attempts == 1), || "a job that was given back counts as begun".into())?;
    let now = rig.client.status(waiting[0].name).await.map_err(text)?;
    must(now.state == State::Cancelled && now.attempts == 0, || "a cancelled job was begun".into())?;
    // To want it after all is to submit it again.
    let again = rig.submit([job(1, 400, &[])]).await?;
    rig.all_done(&again, SOON).await?;
    Ok(format!("2 cancelled (the running one gave its device free in {freed:.1} s), drain finished 1 and gave back 3"))
}
