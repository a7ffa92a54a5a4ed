//! Processes of this program: workers, and one that watches.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use farm::{Client, Limits, Options, WorkerOptions, run_worker};
use futures_util::StreamExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep};

use crate::toy::Toy;

/// The arguments with which a process reaches the farm: servers, lease, attempts, the limit of a proof's time.
pub(crate) fn arguments(options: &Options) -> Vec<String> {
    let millis = options.lease.as_millis().to_string();
    let seconds = options.limits.prove_seconds.to_string();
    vec![options.servers.join(","), millis, options.attempts.to_string(), seconds]
}

fn options(arguments: &[String]) -> Option<Options> {
    let [servers, lease, attempts, seconds, ..] = arguments else { return None };
    Some(Options {
        servers: servers.split(',').map(str::to_owned).collect(),
        lease: Duration::from_millis(lease.parse().ok()?),
        attempts: attempts.parse().ok()?,
        back_off: Duration::from_millis(100),
        limits: Limits { prove_seconds: seconds.parse().ok()?, verify_seconds: 2, ..Limits::default() },
        ..Options::default()
    })
}

/// `worker SERVERS LEASE ATTEMPTS SECONDS NAME [differs]`: works until SIGTERM.
pub(crate) async fn worker(arguments: &[String]) -> u8 {
    let (Some(options), Some(name)) = (options(arguments), arguments.get(4)) else { return 2 };
    let differs = arguments.get(5).is_some_and(|word| word == "differs");
    let Ok(mut term) = signal(SignalKind::terminate()) else { return 2 };
    let worked = async {
        let client = Client::connect(&options).await?;
        let stop = async move {
            term.recv().await;
        };
        run_worker(client, Arc::new(Toy { differs, room: Some(1 << 30) }), WorkerOptions::new(name), stop).await
    };
    match worked.await {
        Ok(_) => 0,
        Err(farm::Error::Stuck { .. }) => 3,
        Err(error) => {
            eprintln!("{name}: {error}");
            1
        }
    }
}

/// `watcher SERVERS LEASE ATTEMPTS SECONDS JOB`: watches all jobs until that one is final.
pub(crate) async fn watcher(arguments: &[String]) -> u8 {
    let (Some(options), Some(last)) = (options(arguments), arguments.get(4)) else { return 2 };
    let Ok(client) = Client::connect(&options).await else { return 2 };
    let mut changes = client.watch(None);
    while let Some(change) = changes.next().await {
        if change.is_ok_and(|status| status.name.to_string() == *last && status.state.is_final()) {
            return 0;
        }
    }
    1
}

/// A process of this program; it is killed when it is dropped.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn start(role: &str, options: &Options, more: &[&str]) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .arg(role)
            .args(arguments(options))
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(if std::env::var_os("FAILURES_LOUD").is_some() { Stdio::inherit() } else { Stdio::null() })
            .spawn();
        child.map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn worker(options: &Options, name: &str) -> Result<Self, String> {
        Self::start("worker", options, &[name])
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) -> Result<(), String> {
        let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", self.0.id())).status();
        match sent {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("kill -{name}: {status}")),
            Err(error) => Err(format!("kill -{name}: {error}")),
        }
    }

    pub(crate) fn kill(&mut self) {
        // It may have ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }

    /// How it has ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().ok().flatten()
    }

    /// Waits for its end.
    pub(crate) async fn end(&mut self, within: Duration) -> Result<ExitStatus, String> {
        let until = Instant::now() + within;
        while Instant::now() < until {
            if let Some(status) = self.ended() {
                return Ok(status);
            }
            sleep(Duration::from_millis(20)).await;
        }
        Err(format!("a process does not end in {within:?}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
