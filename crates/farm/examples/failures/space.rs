//! A file system that is full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use farm::{Client, Error, Options, State};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::Outcome;
use crate::processes::Process;
use crate::rig::{Rig, must, text};
use crate::servers::Server;
use crate::toy::job;

const SOON: Duration = Duration::from_secs(20);

/// Where a server stores: a file system of its own, or, where none may be mounted, a folder whose files may not grow.
struct Disk {
    folder: TempDir,
    mounted: bool,
}

impl Disk {
    const BYTES: u64 = 16 << 20;

    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(text)?;
        let size = format!("size={}", Self::BYTES);
        let mounted = run("mount", &["-t", "tmpfs", "-o", &size, "none", &folder.path().display().to_string()]).is_ok();
        Ok(Self { folder, mounted })
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("ballast")
    }

    /// From now on writes fail as they do on a full disk. A full file system is checked to be full.
    fn fill(&self, server: &Server) -> Result<(), String> {
        if !self.mounted {
            return limit(server, "65536");
        }
        let mut size = 1 << 20;
        let mut file = fs::File::create(self.ballast()).map_err(text)?;
        let zeros = vec![0; size];
        while size > 0 {
            match std::io::Write::write(&mut file, &zeros[..size]) {
                Ok(written) if written > 0 => {}
                _ => size /= 2,
            }
        }
        let more = fs::write(self.folder.path().join("more"), [0]);
        must(more.is_err(), || "the file system is not full".into())
    }

    /// There is room again.
    fn free(&self, server: &Server) -> Result<(), String> {
        if self.mounted { fs::remove_file(self.ballast()).map_err(text) } else { limit(server, "unlimited") }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.mounted {
            // At the latest when its last user ends.
            drop(run("umount", &["--lazy", &self.folder.path().display().to_string()]));
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|error| format!("{program}: {error}"))?;
    must(status.success(), || format!("{program} {}: {status}", arguments.join(" ")))
}

/// The longest that a file of a server may be made.
fn limit(server: &Server, bytes: &str) -> Result<(), String> {
    let Some(pid) = server.pid() else { return Ok(()) };
    run("prlimit", &["--pid", &pid.to_string(), &format!("--fsize={bytes}:")])
}

/// The store's file system is full before workers begin: no job is done whose proof is not stored, and all are when
/// there is room again. A server whose write has failed is started again, as an operator would.
pub(crate) async fn full(nats: PathBuf) -> Outcome {
    let disk = Disk::new()?;
    let store = Path::join(disk.folder.path(), "store");
    // The server's own accounts must refuse nothing before the file system does.
    let lines = format!("store_dir: {store:?}\nmax_file_store: 1GB");
    let mut rig = Rig::new(&nats, 1, &lines).await?;
    must(store.is_dir(), || "the server stores elsewhere".into())?;
    let jobs = rig.submit((0..24).map(|i| job(i, 100, &[("proof-bytes", "200000")]))).await?;
    let hasty = Client::connect(&Options { patience: Duration::from_secs(1), ..rig.options.clone() }).await;
    let hasty = hasty.map_err(text)?;
    disk.fill(&rig.servers[0])?;
    let _workers = [Process::worker(&rig.options, "a")?, Process::worker(&rig.options, "b")?];
    let late = job(99, 1, &[("note", &"x".repeat(100_000))]);
    let refused = hasty.submit_normal(late, farm::Requirements { bytes: 1 }).await.err();
    must(matches!(refused, Some(Error::Server { .. })), || format!("a job without room: {refused:?}"))?;
    sleep(Duration::from_secs(3)).await;
    // A server that can be asked says that nothing is done; mostly none can.
    let seen = hasty.list(Some(State::Done), 100, None).await;
    let seen = seen.map_or(0, |jobs| jobs.len());
    must(seen == 0, || format!("the disk is full and {seen} jobs are done"))?;

    let room = Instant::now();
    disk.free(&rig.servers[0])?;
    // A stream whose write has failed takes no more until its server is started again.
    let stuck = hasty.submit_normal(job(98, 1, &[]), farm::Requirements { bytes: 1 }).await.is_err();
    if stuck {
        rig.servers[0].restart()?;
    }
    let all = rig.all_done(&jobs, SOON).await?;
    let twice = all.iter().filter(|job| job.attempts > 1).count();
    let room = room.elapsed().as_secs_f64();
    let how = if disk.mounted { "a full file system" } else { "files that may not grow (no mount here)" };
    let server = if stuck { "started again" } else { "which went on" };
    Ok(format!("24 jobs, {how}, none done for 3 leases; all {room:.1} s later, server {server}; {twice} begun twice"))
}
