//! Commands that run until they are interrupted: workers, the HTTP service, both with a server on one machine.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use farm::http::{HttpOptions, Remote, Tokens, stopped};
use farm::local::LocalServer;
use farm::{Client, Prover, WorkerOptions, run_worker};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::connection::ConnectionArguments;
use super::defaults::Local;
use super::prover::Statements;
use crate::arguments::DeviceArguments;
use crate::report::exit::{Code, Failure};
use crate::report::output::Output;
use sdk::Registry;

/// A worker.
#[derive(Args)]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    device: DeviceArguments,
    /// The worker's name, of which the farm has one [default: the host's, the device's and the process's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    connection: ConnectionArguments,
}

/// The HTTP service.
#[derive(Args)]
pub(crate) struct HttpArguments {
    /// The address of the API and of the page
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// A file of tokens, one a line, behind it `read` or `submit`: requests without one are refused
    #[arg(long, value_name = "FILE")]
    http_tokens: Option<PathBuf>,
    /// Serve everybody who reaches an address that is not of this machine alone, without tokens
    #[arg(long, conflicts_with = "http_tokens")]
    anyone: bool,
}

/// The HTTP service of a farm.
#[derive(Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    http: HttpArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

/// A farm on one machine.
#[derive(Args)]
pub(crate) struct LocalArguments {
    /// Folder of jobs and proofs
    #[arg(long, value_name = "FOLDER", default_value = "polystark-farm")]
    store: PathBuf,
    /// The program nats-server [default: that of the search path]
    #[arg(long, value_name = "FILE")]
    nats_server: Option<PathBuf>,
    #[command(flatten)]
    http: HttpArguments,
    #[command(flatten)]
    worker: WorkerArguments,
}

/// The work of a worker, as JSON.
#[derive(Serialize)]
struct WorkedView {
    status: &'static str,
    worker: String,
    done: u64,
    failed: u64,
}

/// The message if it is told to end before it has begun.
const NOT_BEGUN: &str = "interrupted before it had begun, nothing was done";

/// How long a command that is told to end at once may take to clean up.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Whether the process was interrupted or told to end, and the code that it ends with when that comes a second time.
struct Shutdown {
    stop: watch::Receiver<bool>,
    at_once: watch::Receiver<Option<i32>>,
}

/// Watches for signals. A second one ends the process at once, or soon if somebody holds [`Shutdown::at_once`].
fn interrupted(output: &Output) -> Result<Shutdown, Failure> {
    let (told, stop) = watch::channel(false);
    let (twice, at_once) = watch::channel(None);
    let failed = |error| Failure::usage(format!("signals: {error}"));
    let mut end = End::new().map_err(failed)?;
    output.note("interrupt it once to end what is being done, twice to end at once");
    tokio::spawn(async move {
        end.wait().await;
        told.send_replace(true);
        let code = 128 + end.wait().await;
        twice.send_replace(Some(code));
        if twice.receiver_count() > 0 {
            tokio::time::sleep(AT_ONCE).await;
        }
        std::process::exit(code);
    });
    Ok(Shutdown { stop, at_once })
}

/// The result, unless it is told to end before.
async fn unless<T>(mut stop: watch::Receiver<bool>, done: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = done => Some(done),
        () = stopped(&mut stop) => None,
    }
}

/// The signals that end a process.
struct End {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl End {
    #[cfg(unix)]
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The number of the signal that comes.
    #[cfg(unix)]
    async fn wait(&mut self) -> i32 {
        tokio::select! {
            _ = self.terminate.recv() => 15,
            _ = self.interrupt.recv() => 2,
        }
    }

    #[cfg(not(unix))]
    fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) -> i32 {
        // Without signals it is ended from outside.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}

impl WorkerArguments {
    /// The device, opened: a worker without one is of no use.
    async fn prover(&self, registry: &Arc<Registry>) -> Result<Arc<dyn Prover>, Failure> {
        let bounds = self.connection.bounds();
        let statements = Arc::new(Statements::new(registry.clone(), self.device.clone(), bounds).apart());
        let opening = statements.clone();
        let opened = tokio::task::spawn_blocking(move || opening.open()).await;
        let device = |error: String| Failure::new(Code::Device, error);
        opened.map_err(|error| device(error.to_string()))?.map_err(device)?;
        Ok(statements)
    }

    fn name(&self, prover: &dyn Prover) -> String {
        let host = || std::fs::read_to_string("/etc/hostname").unwrap_or_default();
        let default = || format!("{}/{}/{}", host().trim(), prover.device(), std::process::id());
        self.name.clone().unwrap_or_else(default)
    }
}

/// A prover that tells the memory of jobs, on a thread of the host.
pub(super) fn planner(registry: &Arc<Registry>, connection: &ConnectionArguments) -> Arc<dyn Prover> {
    Arc::new(Statements::new(registry.clone(), DeviceArguments::planner(), connection.bounds()).apart())
}

/// Proves jobs until it is told to stop.
async fn work(
    arguments: &WorkerArguments,
    client: Client,
    registry: &Arc<Registry>,
    output: &Output,
    mut stop: watch::Receiver<bool>,
) -> Result<Option<WorkedView>, Failure> {
    let Some(prover) = unless(stop.clone(), arguments.prover(registry)).await else { return Ok(None) };
    let prover = prover?;
    let name = arguments.name(&*prover);
    output.note(&format!("worker {name} proves on {}", prover.device()));
    let stopped = async move { stopped(&mut stop).await };
    let summary = run_worker(client, prover, WorkerOptions::new(&name), stopped).await?;
    Ok(Some(WorkedView { status: "drained", worker: name, done: summary.done, failed: summary.failed }))
}

/// Nothing, if there was no worker yet.
fn said(view: Option<&WorkedView>, output: &Output) -> Result<(), Failure> {
    let Some(view) = view else {
        output.note(NOT_BEGUN);
        return Ok(());
    };
    let WorkedView { worker, done, failed, .. } = view;
    output.result(view, &format!("worker {worker} has ended: {done} proofs, {failed} failed attempts\n"))
}

pub(super) async fn worker(
    arguments: &WorkerArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let Shutdown { stop, .. } = interrupted(output)?;
    let view = match unless(stop.clone(), arguments.connection.connect(output)).await {
        Some(client) => work(arguments, client?, registry, output, stop).await?,
        None => None,
    };
    said(view.as_ref(), output)
}

/// The HTTP service's own part, which is not the farm's: its tokens and its address.
struct Front {
    options: HttpOptions,
    listener: TcpListener,
}

impl HttpArguments {
    /// Its faults are reported before a server is started or asked.
    async fn front(&self) -> Result<Front, Failure> {
        let tokens = match &self.http_tokens {
            Some(file) => Tokens::read(file)?,
            None => Tokens::default(),
        };
        let options = HttpOptions { tokens, anyone: self.anyone, ..HttpOptions::default() };
        options.check(self.listen)?;
        let listener = TcpListener::bind(self.listen).await;
        let listener = listener.map_err(|error| Failure::usage(format!("--listen {}: {error}", self.listen)))?;
        Ok(Front { options, listener })
    }
}

/// Serves HTTP until it is told to stop.
async fn http(
    Front { options, listener }: Front,
    connection: &ConnectionArguments,
    client: Client,
    registry: &Arc<Registry>,
    output: &Output,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Failure> {
    if let Ok(address) = listener.local_addr() {
        output.note(&format!("the farm's page is at http://{address}/"));
    }
    let farm = Arc::new(Remote::new(client, planner(registry, connection)));
    farm::http::serve(listener, farm, options, stopped(&mut stop)).await?;
    Ok(())
}

pub(super) async fn serve(
    arguments: &ServeArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let front = arguments.http.front().await?;
    let Shutdown { stop, .. } = interrupted(output)?;
    match unless(stop.clone(), arguments.connection.connect(output)).await {
        Some(client) => http(front, &arguments.connection, client?, registry, output, stop).await?,
        None => output.note(NOT_BEGUN),
    }
    Ok(())
}

/// Starts a server, a worker and the service; ends them in the other order.
pub(super) async fn local(
    arguments: &LocalArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let front = arguments.http.front().await?;
    let Shutdown { stop, mut at_once } = interrupted(output)?;
    let mut told = stop.clone();
    let nats_server = arguments.nats_server.as_deref();
    let started = LocalServer::start_unless(nats_server, &arguments.store, stopped(&mut told)).await?;
    let Some(server) = started else { return said(None, output) };
    let twice = async { at_once.wait_for(Option::is_some).await.ok().and_then(|code| *code) };
    let done = tokio::select! {
        done = at_server(&server, front, arguments, registry, output, stop) => Ok(done),
        code = twice => Err(code),
    };
    let done = match done {
        Ok(done) => done,
        Err(code) => {
            // With its files.
            drop(server);
            std::process::exit(code.unwrap_or(130));
        }
    };
    // A failure counts more than a server that did not end.
    let ended = server.stop().await;
    let view = done?;
    ended?;
    said(view.as_ref(), output)
}

/// The worker and the service of a server; nothing, if it is told to end before they have begun.
async fn at_server(
    server: &LocalServer,
    front: Front,
    arguments: &LocalArguments,
    registry: &Arc<Registry>,
    output: &Output,
    stop: watch::Receiver<bool>,
) -> Result<Option<WorkedView>, Failure> {
    let connection = &arguments.worker.connection;
    let options = connection.at(server.url(), server.token().to_owned());
    let token = server.write_token()?;
    let Some(client) = unless(stop.clone(), connection.connect_by(&options, output)).await else { return Ok(None) };
    let client = client?;
    Local { server: server.url(), token_file: token.clone(), farm: options.prefix.clone() }.note();
    output.note(&format!(
        "clients of this user find the farm by themselves, others reach the farm by --server {} --token-file {}",
        server.url(),
        token.display()
    ));
    let (view, ()) = tokio::try_join!(
        work(&arguments.worker, client.clone(), registry, output, stop.clone()),
        http(front, connection, client, registry, output, stop),
    )?;
    Ok(view)
}
