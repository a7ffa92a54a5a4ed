//! Requests that servers never serve, and requests that they do not serve for a while.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use farm::{Client, Credentials, Error, Options, State, WorkerOptions, run_worker};
use tokio::time::sleep;

use crate::Outcome;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};

const SOON: Duration = Duration::from_secs(15);

/// A user that may do everything, and a worker that may not store proofs; messages are short.
const SERVER: &str = r#"max_payload: 32768
authorization { users: [
  { user: all, password: all }
  { user: worker, password: worker, permissions: { publish: { deny: "$O.polystark-proofs.>" } } }
] }"#;

fn user(name: &str) -> Credentials {
    Credentials::User { name: name.into(), password: name.into() }
}

/// A request that cannot pass ends at once; a waiting one is visible.
pub(crate) async fn never(nats: PathBuf) -> Outcome {
    let rig = Rig::with(&nats, 1, ("", SERVER), Options { credentials: user("all"), ..Options::default() }).await?;
    let begun = Instant::now();
    let long = job(0, 1, &[("note", &"x".repeat(40_000))]);
    let name = long.job.name();
    let refused = rig.submit([long]).await.err().unwrap_or_default();
    must(refused.contains("never") && refused.contains("payload"), || format!("a job that is too long: {refused:?}"))?;
    must(begun.elapsed() < Duration::from_secs(5), || format!("it was refused after {:?}", begun.elapsed()))?;
    let unknown = rig.client.status(name).await.err();
    must(matches!(unknown, Some(Error::Unknown(_))), || format!("a job that was refused: {unknown:?}"))?;

    let work = |options: Options, name: &'static str| async move {
        let client = Client::connect(&options).await.map_err(text)?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let toy = Arc::new(Toy { differs: false, room: None });
        Ok::<_, String>((stop, tokio::spawn(run_worker(client, toy, WorkerOptions::new(name), stopped))))
    };
    let limited = work(Options { credentials: user("worker"), ..rig.options.clone() }, "limited").await?;
    let proof = |i| job(i, 20, &[("proof-bytes", "100000")]);
    let denied = rig.submit([proof(1)]).await?;
    let ended = rig.until(denied[0].name, "set aside", SOON, |job| job.state.is_final()).await?;
    let error = ended.error.unwrap_or_default();
    let says = error.contains("`limited`") && error.to_lowercase().contains("permissions violation");
    must(ended.state == State::SetAside && says && ended.attempts == 1, || {
        format!("it is {} after {} attempts: {error}", ended.state, ended.attempts)
    })?;
    drop(limited.0);
    limited.1.await.map_err(text)?.map_err(text)?;

    // The store of proofs is full for a while: the worker names the request that it waits for, and the job is proven
    // once.
    let all = async_nats::ConnectOptions::with_user_and_password("all".into(), "all".into());
    let context = jetstream::new(all.connect(rig.servers[0].url()).await.map_err(text)?);
    let mut proofs = context.get_stream("OBJ_polystark-proofs").await.map_err(text)?;
    let mut config = proofs.info().await.map_err(text)?.config.clone();
    config.max_bytes = 1000;
    context.update_stream(&config).await.map_err(text)?;
    let worker = work(rig.options.clone(), "w").await?;
    let waits = rig.submit([proof(1)]).await?;
    let until = Instant::now() + SOON;
    loop {
        let workers = rig.client.workers().await.map_err(text)?;
        let says = workers.iter().find_map(|worker| worker.waits.clone());
        if says.as_ref().is_some_and(|says| says.contains("storing an artefact: ") && says.contains("maximum bytes")) {
            break;
        }
        must(Instant::now() < until, || format!("what a worker waits for is not seen: {workers:?}"))?;
        sleep(Duration::from_millis(50)).await;
    }
    config.max_bytes = -1;
    context.update_stream(&config).await.map_err(text)?;
    let done = rig.all_done(&waits, SOON).await?;
    must(done[0].attempts == 1, || format!("{} attempts", done[0].attempts))?;
    sleep(Duration::from_millis(700)).await;
    let workers = rig.client.workers().await.map_err(text)?;
    must(workers.iter().all(|worker| worker.waits.is_none()), || format!("nothing waits any more: {workers:?}"))?;
    drop(worker.0);
    worker.1.await.map_err(text)?.map_err(text)?;
    Ok("too long a job and a worker without permission: final at once, with the server's words; a full store: seen, then done".to_owned())
}
