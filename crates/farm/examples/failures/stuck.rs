//! Workers that fall silent and come back, or compute wrongly, and a prover that never ends.

use std::path::PathBuf;
use std::time::Duration;

use farm::State;
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::toy::{gated, job};

const SOON: Duration = Duration::from_secs(15);

/// A worker is stopped in the middle of a job, loses it, and goes on when another has published: nothing changes.
pub(crate) async fn stopped(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let a = Process::worker(&rig.options, "a")?;
    // Deaf ones do not stop when they are told to: their proofs come late.
    let (gate, deaf) = (rig.gate("gate"), [("deaf", "1")]);
    let one = |i| if i == 0 { gated(i, 400, &gate, &deaf) } else { job(i, 400, &deaf) };
    let jobs = rig.submit((0..6).map(one)).await?;
    rig.until_running(jobs[0].name).await?;
    a.signal("STOP")?;
    gate.open()?;
    let _b = Process::worker(&rig.options, "b")?;
    let done = rig.all_done(&jobs, SOON).await?;
    let taken_over = done.iter().filter(|job| job.attempts == 2).count();
    must(taken_over == 1, || format!("{taken_over} jobs were taken over, and one was in the middle"))?;
    a.signal("CONT")?;
    sleep(Duration::from_millis(1500)).await;
    let after = rig.all_done(&jobs, SOON).await?;
    must(after == done, || {
        format!("a worker that had lost its lease has changed a state: {after:?}, before {done:?}")
    })?;
    let alarms = rig.client.alarms().await.map_err(text)?;
    must(alarms.is_empty(), || format!("equal proofs are an alarm: {alarms:?}"))?;
    Ok("6 jobs, 1 taken over; the late proof is equal and changes nothing".to_owned())
}

/// The same with a worker whose proofs are wrong, which it thinks are right: late when the right one is published, and
/// before it.
pub(crate) async fn differs(nats: PathBuf) -> Outcome {
    let rig = Rig::new(&nats, 1, "").await?;
    let wrong = Process::start("worker", &rig.options, &["wrong", "differs"])?;
    let gate = rig.gate("gate");
    let first = rig.submit([gated(0, 400, &gate, &[("deaf", "1")])]).await?;
    rig.until_running(first[0].name).await?;
    wrong.signal("STOP")?;
    gate.open()?;
    let right = Process::worker(&rig.options, "right")?;
    rig.all_done(&first, SOON).await?;
    right.signal("STOP")?;
    wrong.signal("CONT")?;
    let alarms = until_alarms(&rig, 1).await?;
    must(alarms[0].first == "right" && alarms[0].second == "wrong", || format!("{alarms:?}"))?;
    // The right worker is silent by now. The wrong one loses its next job to it, and ends first.
    let second = rig.submit([job(1, 1500, &[("deaf", "1")])]).await?;
    rig.until_running(second[0].name).await?;
    wrong.signal("STOP")?;
    sleep(Duration::from_millis(1200)).await;
    right.signal("CONT")?;
    rig.until(second[0].name, "taken over", SOON, |job| job.worker.as_deref() == Some("right")).await?;
    wrong.signal("CONT")?;
    rig.all_done(&second, SOON).await?;
    let alarms = until_alarms(&rig, 2).await?;
    must(alarms[1].job == second[0].name && alarms[1].first == "right", || format!("{alarms:?}"))?;
    rig.all_done(&first, SOON).await?;
    Ok("2 proofs differ, before and after the right one: 2 alarms that name both workers; the right ones are published"
        .to_owned())
}

async fn until_alarms(rig: &Rig, many: usize) -> Result<Vec<farm::ProofConflict>, String> {
    for _ in 0..200 {
        let alarms = rig.client.alarms().await.map_err(text)?;
        if alarms.len() >= many {
            return Ok(alarms);
        }
        sleep(Duration::from_millis(25)).await;
    }
    Err(format!("there are not {many} alarms"))
}

/// A prover hangs: its worker gives the job back and ends; another proves it.
pub(crate) async fn hangs(nats: PathBuf) -> Outcome {
    let mut rig = Rig::new(&nats, 1, "").await?;
    rig.options.limits.prove_seconds = 1;
    let mut a = Process::worker(&rig.options, "a")?;
    let mark = rig.folder.path().join("hung");
    let mark = mark.to_str().ok_or("the temporary folder's name is not UTF-8")?;
    let hangs = rig.submit([job(0, 100, &[("does", "hang-once"), ("mark", mark)])]).await?;
    rig.until_running(hangs[0].name).await?;
    let others = rig.submit((1..4).map(|i| job(i, 100, &[]))).await?;
    let ended = a.end(SOON).await?;
    must(ended.code() == Some(3), || format!("a stuck worker ended with {ended}"))?;
    let given_back = rig.client.status(hangs[0].name).await.map_err(text)?;
    must(given_back.state == State::Queued, || format!("its job is {}", given_back.state))?;
    let _b = Process::worker(&rig.options, "b")?;
    let done = rig.all_done(&[hangs, others].concat(), SOON).await?;
    must(done[0].attempts == 2, || format!("{} attempts", done[0].attempts))?;
    // One that asks whether to go on is stopped, once, and its worker goes on.
    let long = rig.submit([job(4, 10_000, &[])]).await?;
    let is_aside = |job: &farm::Status| job.state == State::SetAside;
    rig.until(long[0].name, "set aside", SOON, is_aside).await?;
    let aside = rig.client.status(long[0].name).await.map_err(text)?;
    let why = aside.error.unwrap_or_default();
    must(aside.attempts == 1 && why.contains("--prove-seconds"), || format!("{} attempts: {why}", aside.attempts))?;
    let next = rig.submit([job(5, 100, &[])]).await?;
    rig.all_done(&next, SOON).await?;
    Ok("a prover that hangs is given up after its limit (1 s here), its worker ends, another proves the job; one that is slow is stopped"
        .to_owned())
}
