//! A full disk, and messages that are lost.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use farm::{Client, Prover, State, Submission};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};

const SOON: Duration = Duration::from_secs(20);

/// The servers' disk is full while jobs are proven: nothing is published that is not stored, and all is when there is
/// room again.
pub(crate) async fn full(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "max_file_store: 8MB").await?;
    let context = jetstream::new(async_nats::connect(rig.servers[0].url()).await.map_err(text)?);
    // Proofs of 200 kB, which have no room once the disk is full.
    let jobs = rig.submit((0..24).map(|i| job(i, 250, &[("proof-bytes", "200000")]))).await?;
    let config =
        jetstream::stream::Config { name: "other".into(), subjects: vec!["other".into()], ..Default::default() };
    context.create_stream(config).await.map_err(text)?;
    let mut size = 512 << 10;
    while size >= 64 {
        let sent = context.publish("other", vec![0; size].into()).await.map_err(text)?;
        if sent.await.is_err() {
            size /= 2;
        }
    }
    // Workers prove, and keep their proofs, for three leases of a full disk.
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    sleep(Duration::from_secs(3)).await;
    let states = rig.client.list(None, 100, None).await.map_err(text)?;
    let done = states.iter().filter(|job| job.state == State::Done).count();
    must(done == 0, || format!("the disk is full and {done} jobs are done"))?;
    let room = Instant::now();
    context.delete_stream("other").await.map_err(text)?;
    let all = rig.all_done(&jobs, SOON).await?;
    must(all.iter().all(|job| job.attempts == 1), || "proofs were made again that waited for room".into())?;
    let room = room.elapsed().as_secs_f64();
    Ok(format!("24 jobs, none done while the disk was full for 3 leases, all {room:.1} s later; none proven twice"))
}

/// Jobs that are submitted again while they are being cancelled: the cancellation removes its own message, not the new
/// one.
pub(crate) async fn cancelled_and_wanted(nats: PathBuf) -> Outcome {
    const JOBS: usize = 150;
    let rig = Rig::new(&nats, 1, "").await?;
    let other = Client::connect(&rig.options).await.map_err(text)?;
    let toy: Arc<dyn Prover> = Arc::new(Toy { differs: false, room: None });
    let jobs = rig.submit((0..JOBS).map(|i| job(i, 5, &[]))).await?;
    sleep(Duration::from_millis(10)).await;
    let both = jobs.clone().into_iter().map(|first| {
        let (client, other, toy) = (rig.client.clone(), other.clone(), Arc::clone(&toy));
        async move {
            let again = async {
                let submission = Submission { job: first.job.clone(), priority: first.priority, deadline: None };
                // It is there already until it is cancelled.
                while other.submit(&toy, submission.clone()).await.map_err(text)?.submitted == first.submitted {}
                Ok::<_, String>(())
            };
            let (cancelled, again) = tokio::join!(client.cancel(first.name), again);
            cancelled.map_err(text).map(|_| ()).and(again)
        }
    });
    stream::iter(both).buffered(8).try_collect::<Vec<()>>().await?;
    let waiting: u64 = rig.client.depths().await.map_err(text)?.iter().map(|depth| depth.waiting).sum();
    must(waiting == JOBS as u64, || format!("{waiting} of {JOBS} jobs have a message"))?;
    let _worker = Process::worker(&rig.options, "a")?;
    let done = rig.all_done(&jobs, SOON).await?;
    must(done.iter().all(|job| job.attempts == 1), || "a job was begun twice".into())?;
    Ok(format!("{JOBS} jobs submitted again as they are cancelled: all have their message, and are done once"))
}

/// All messages are lost, as if the submitting clients had died before they sent them: the jobs are found by their
/// states.
pub(crate) async fn lost_messages(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let jobs = rig.submit((0..100).map(|i| job(i, 5, &[]))).await?;
    let context = jetstream::new(async_nats::connect(rig.servers[0].url()).await.map_err(text)?);
    let queue = context.get_stream(format!("{}-queue", rig.options.prefix)).await.map_err(text)?;
    let lost = queue.purge().await.map_err(text)?.purged;
    must(lost == 100, || format!("{lost} messages, not 100"))?;
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    // No list misses a job that is written while it is read.
    let (mut lists, until) = (0, Instant::now() + SOON);
    loop {
        let list = rig.client.list(None, usize::MAX, None).await.map_err(text)?;
        must(list.len() == jobs.len(), || format!("a list has {} of {} jobs", list.len(), jobs.len()))?;
        lists += 1;
        if list.iter().all(|job| job.state.is_final()) || Instant::now() > until {
            break;
        }
    }
    let done = rig.all_done(&jobs, SOON).await?;
    must(done.iter().all(|job| job.attempts == 1), || "a job was begun twice".into())?;
    must(lists > 10, || format!("{lists} lists"))?;
    Ok("100 jobs without a message are found and done".to_owned())
}
