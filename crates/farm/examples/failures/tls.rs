//! A farm behind TLS and keys, and its refusals. The keys in `keys/` are of this test alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use farm::{
    Client, Credentials, Error, Limits, Options, Prover, Requirements, State, Submission, Tls, WorkerOptions,
    run_worker,
};

use crate::Outcome;
use crate::rig::{Rig, must, text};
use crate::toy::{Toy, job};

const SOON: Duration = Duration::from_secs(15);

/// Files that servers and clients are given by their paths.
const KEYS: [(&str, &str); 6] = [
    ("ca.pem", include_str!("keys/ca.pem")),
    ("server.pem", include_str!("keys/server.pem")),
    ("server.key", include_str!("keys/server.key")),
    ("client.pem", include_str!("keys/client.pem")),
    ("client.key", include_str!("keys/client.key")),
    ("user.nk", include_str!("keys/user.nk")),
];

/// A client without key or certificate is refused, at once; a client with both works. Limits, memory, deadlines.
pub(crate) async fn limits_and_keys(nats: PathBuf) -> Outcome {
    let folder = tempfile::tempdir().map_err(text)?;
    for (name, key) in KEYS {
        std::fs::write(folder.path().join(name), key).map_err(text)?;
    }
    let path = |name: &str| folder.path().join(name);
    let more = format!(
        "tls {{ cert_file: {:?}, key_file: {:?}, ca_file: {:?}, verify: true }}\nauthorization {{ users: [{{ nkey: {} }}] }}",
        path("server.pem"),
        path("server.key"),
        path("ca.pem"),
        include_str!("keys/user.pub").trim(),
    );
    let tls = Tls { required: true, ca: Some(path("ca.pem")), client: Some((path("client.pem"), path("client.key"))) };
    let limits = Limits { input_bytes: 100, all_input_bytes: 10_000, queued_jobs: 5, ..Limits::default() };
    let options = Options { credentials: Credentials::NkeySeed(path("user.nk")), tls, limits, ..Options::default() };
    let rig = Rig::with(&nats, 1, ("", &more), options).await?;
    let refused = |change: fn(&mut Options)| {
        let mut options = Options { patience: Duration::from_secs(1), ..rig.options.clone() };
        change(&mut options);
        async move { Client::connect(&options).await.err() }
    };
    let no_key = refused(|options| options.credentials = Credentials::None).await;
    must(matches!(no_key, Some(Error::Options(_))), || format!("a client without a key: {no_key:?}"))?;
    let no_certificate = refused(|options| options.tls.client = None).await;
    must(no_certificate.is_some(), || "a client without a certificate is let in".into())?;
    let no_trust = refused(|options| options.tls.ca = None).await;
    must(no_trust.is_some(), || "a server of an unknown authority is trusted".into())?;

    let client = &rig.client;
    let large = client.put_input(vec![0; 101].into()).await.err();
    must(matches!(large, Some(Error::Limit { is: 101, limit: 100, .. })), || format!("a large input: {large:?}"))?;
    let small = client.put_input(vec![7; 100].into()).await.map_err(text)?;
    let mut many = Ok(small);
    for number in 0..100 {
        many = many.and(client.put_input(vec![number; 99].into()).await);
    }
    let says = matches!(&many, Err(Error::Limit { what, limit: 10_000, .. }) if *what == Error::INPUTS);
    must(says, || format!("a hundred inputs: {many:?}"))?;
    let with_input = |number, input| {
        let mut job = job(number, 1, &[]);
        job.job.inputs.insert("file".into(), input);
        job
    };
    let gone = with_input(0, farm::Digest::of(b"nowhere"));
    let over = Submission { deadline: Some(1), ..job(1, 1, &[]) };
    let fits = rig.submit([with_input(2, small), over, job(3, 1, &[("bytes", "3000000000")])]).await?;
    let gone = client.submit_normal(gone, Requirements { bytes: 1 }).await.map_err(text)?;
    let fifth = rig.submit([job(4, 1, &[])]).await?;
    let sixth = client.submit_normal(job(5, 1, &[]), Requirements { bytes: 1 }).await.err();
    must(matches!(sixth, Some(Error::Limit { limit: 5, .. })), || format!("a sixth job of five: {sixth:?}"))?;
    let unknown = client.status(job(5, 1, &[]).job.name()).await.err();
    must(matches!(unknown, Some(Error::Unknown(_))), || format!("a job that was refused: {unknown:?}"))?;

    let wider = Limits { queued_jobs: 6, ..rig.options.limits.clone() };
    client.configure(&Options { limits: wider, ..rig.options.clone() }).await.map_err(text)?;
    let sixth = client.submit_normal(job(5, 1, &[]), Requirements { bytes: 1 }).await.map_err(text)?;

    let toy = |room| -> Arc<dyn Prover> { Arc::new(Toy { differs: false, room: Some(room) }) };
    let work = |name: &'static str, room| {
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async {
            drop(stopped.await);
        };
        (stop, tokio::spawn(run_worker(client.clone(), toy(room), WorkerOptions::new(name), stopped)))
    };
    // The job of 3 GB is of the class that one of 2.5 GB asks for, too.
    let (stop_small, small) = work("small", 2_500_000_000);
    rig.all_done(&[fits[0].clone(), fifth[0].clone(), sixth], SOON).await?;
    let ends = [(&fits[1], State::Failed, "deadline"), (&gone, State::SetAside, "is not in the store")];
    for (job, state, what) in ends {
        let ended = client.wait(job.name).await.map_err(text)?;
        let error = ended.error.unwrap_or_default();
        must(ended.state == state && error.contains(what), || format!("it is {}: {error}", ended.state))?;
    }
    let large = client.status(fits[2].name).await.map_err(text)?;
    must(large.attempts == 0, || "a worker has begun what does not fit it".into())?;
    let (stop_large, large) = work("large", 3_000_000_000);
    let done = rig.all_done(&fits[2..], SOON).await?;
    must(done[0].worker.as_deref() == Some("large"), || format!("{done:?}"))?;
    for (stop, worker) in [(stop_small, small), (stop_large, large)] {
        // It listens until it has ended.
        stop.send(()).map_err(|()| "it listens no more")?;
        worker.await.map_err(text)?.map_err(text)?;
    }
    Ok("3 clients without key, certificate or trust refused; limits, memory and deadlines hold behind TLS".to_owned())
}
