//! Jobs that others hold up, and jobs that wait longer than anything is kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use farm::{Client, Error, Options, State, Summary, WorkerOptions, run_worker};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};

const SOON: Duration = Duration::from_secs(15);

/// A worker in this process, with this much memory. It works until the sender is dropped.
pub(crate) fn work(
    client: &Client,
    name: &'static str,
    room: Option<u64>,
) -> (oneshot::Sender<()>, JoinHandle<farm::Result<Summary>>) {
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { drop(stopped.await) };
    let toy = Arc::new(Toy { differs: false, room });
    (stop, tokio::spawn(run_worker(client.clone(), toy, WorkerOptions::new(name), stopped)))
}

/// Short jobs that a worker has taken ahead go to others when its long one lasts; jobs that fit no memory do not stand
/// before jobs that do.
pub(crate) async fn held_up(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let short = |i| job(i, 5, &[]);
    rig.submit((0..40).map(short)).await?;
    let long = rig.submit([job(40, 6000, &[])]).await?.remove(0);
    let behind = rig.submit((41..81).map(short)).await?;
    let _a = Process::worker(&rig.options, "a")?;
    rig.until_running(long.name).await?;
    let _b = Process::worker(&rig.options, "b")?;
    let begun = Instant::now();
    rig.all_done(&behind, Duration::from_secs(4)).await?;
    let freed = begun.elapsed().as_secs_f64();
    let now = rig.client.status(long.name).await.map_err(text)?;
    must(now.state == State::Running, || format!("the long job is {}", now.state))?;

    let sized = |i, bytes| job(i, 5, &[("bytes", bytes)]);
    let misfits = rig.submit((100..180).map(|i| sized(i, "3000000000"))).await?;
    let fits = rig.submit((180..190).map(|i| sized(i, "2400000000"))).await?;
    let (stop, worker) = work(&rig.client, "small", Some(2_500_000_000));
    let begun = Instant::now();
    rig.all_done(&fits, SOON).await?;
    let passed = begun.elapsed().as_secs_f64();
    for job in &misfits {
        let now = rig.client.status(job.name).await.map_err(text)?;
        must(now.state == State::Queued && now.attempts == 0, || format!("what fits nowhere is {}", now.state))?;
    }
    let (stop_large, large) = work(&rig.client, "large", Some(3_000_000_000));
    rig.all_done(&misfits, SOON).await?;
    for (stop, worker) in [(stop, worker), (stop_large, large)] {
        drop(stop);
        worker.await.map_err(text)?.map_err(text)?;
    }
    Ok(format!(
        "40 short jobs behind a long one done after {freed:.1} s, 10 behind 80 that do not fit after {passed:.1} s"
    ))
}

/// Ended jobs are forgotten in their time; a job that waits longer than inputs are kept has its input still.
pub(crate) async fn forgotten(nats: PathBuf) -> Outcome {
    let (lease, keep) = (Duration::from_millis(300), Duration::from_secs(3));
    let rig = Rig::with(&nats, 1, ("", ""), Options { lease, keep, ..Options::default() }).await?;
    // It proves nothing large, and looks after what waits.
    let (stop, small) = work(&rig.client, "small", Some(1 << 30));
    let input = rig.client.put_input(vec![7; 1000].into()).await.map_err(text)?;
    let mut large = job(0, 5, &[("bytes", "3000000000")]);
    large.job.inputs.insert("file".into(), input);
    let large = rig.submit([large]).await?;
    let done = rig.submit([job(1, 5, &[])]).await?;
    rig.all_done(&done, SOON).await?;
    sleep(keep * 5 / 2).await;
    let gone = rig.client.status(done[0].name).await.err();
    must(matches!(gone, Some(Error::Unknown(_))), || format!("a job of {:?} ago: {gone:?}", keep * 5 / 2))?;
    let again = rig.submit([job(1, 5, &[])]).await?;
    rig.all_done(&again, SOON).await?;
    let now = rig.client.status(large[0].name).await.map_err(text)?;
    must(now.state == State::Queued, || format!("a job that waits is {}", now.state))?;
    let (stop_large, worker) = work(&rig.client, "large", Some(4_000_000_000));
    rig.all_done(&large, SOON).await?;
    for (stop, worker) in [(stop, small), (stop_large, worker)] {
        drop(stop);
        worker.await.map_err(text)?.map_err(text)?;
    }
    Ok("a job that is done is forgotten after 3 s and can be submitted again; one that waits 7.5 s has its input"
        .to_owned())
}
