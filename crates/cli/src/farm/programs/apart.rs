//! Runs of strangers' programs in a process of their own: one that takes all memory, or that ends the process, costs
//! its job alone.
//!
//! The process is this program with a hidden subcommand. It reads a line of JSON and then the inputs from standard
//! input, bounds its own memory and time, and writes a line of JSON, and behind it a run if it was asked for one, to
//! standard output (`runner.rs`).

use std::io::{self, BufRead as _, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bytes::Bytes;
use farm::{Failure, Job, Requirements};
use serde::{Deserialize, Serialize};

use crate::farm::bounds::Bounds;
use crate::farm::kind::Inputs;
use sdk::hal::Bytes as Size;
use sdk::support::host_memory;

/// The subcommand of `farm`.
pub(super) const SUBCOMMAND: &str = "run-job";
/// How often a waiting process is asked whether to go on.
const LOOK: Duration = Duration::from_millis(50);
/// The least that a process may take: a smaller machine has no use of it.
const LEAST: u64 = 1 << 30;

/// This program, for a process of its own. On Linux by the name that it has even when its file was replaced by a newer
/// one.
pub(super) fn this_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { program })
}

/// The task of the process.
#[derive(Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) job: Job,
    /// The inputs that follow, and the bytes of each.
    pub(super) inputs: Vec<(String, usize)>,
    /// Bytes of its address space; `None` if the memory is unknown.
    pub(super) most_bytes: Option<u64>,
    /// Seconds in which the plan must be made, if the plan is wanted; `None` if the run is.
    pub(super) plan: Option<(u64, u64)>,
}

/// Its answer.
#[derive(Serialize, Deserialize)]
pub(super) enum Answer {
    Plan(u64),
    /// A run follows. The text that its program prints.
    Run(String),
    /// The job is at fault.
    Wrong(String),
}

/// The needs of a job, found out apart.
pub(super) fn needs(program: &Path, bounds: Bounds, job: &Job, inputs: &Inputs) -> Result<Requirements, String> {
    let (begun, limit) = (Instant::now(), Duration::from_secs(bounds.plan_seconds));
    let goes_on = || if begun.elapsed() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    // Two are planned at a time, beside the machine's other work.
    let most_bytes = host_memory().map(|bytes| (bytes / 3).max(LEAST));
    let task = task(job, inputs, most_bytes, Some((bounds.plan_seconds, bounds.prove_seconds)));
    match ask(program, &task, inputs, &goes_on) {
        Ok((Answer::Plan(bytes), _)) => Ok(Requirements { bytes }),
        Ok((Answer::Wrong(why), _)) => Err(why),
        Err(Failure::Job(why) | Failure::Worker(why) | Failure::Memory(why) | Failure::Costly(why)) => Err(why),
        Ok((Answer::Run(_), _)) => Err("the process that plans it has run it".to_owned()),
        Err(Failure::Stopped) => Err(format!(
            "its program does not end in {} s, which --plan-seconds allows where it is planned",
            bounds.plan_seconds
        )),
    }
}

/// The run of a job's program, as a ProverInput in bincode, and the text that the program prints, made apart.
pub(super) fn run(
    program: &Path,
    job: &Job,
    inputs: &Inputs,
    goes_on: &dyn Fn() -> ControlFlow<()>,
) -> Result<(Vec<u8>, String), Failure> {
    let most_bytes = host_memory().map(|bytes| (bytes / 4 * 3).max(LEAST));
    match ask(program, &task(job, inputs, most_bytes, None), inputs, goes_on)? {
        (Answer::Run(printed), run) => Ok((run, printed)),
        (Answer::Wrong(why), _) => Err(Failure::Job(why)),
        (Answer::Plan(_), _) => Err(Failure::Worker("the process that runs it has planned it".to_owned())),
    }
}

fn task(job: &Job, inputs: &Inputs, most_bytes: Option<u64>, plan: Option<(u64, u64)>) -> Task {
    let inputs = inputs.iter().map(|(role, bytes)| (role.clone(), bytes.len())).collect();
    Task { job: job.clone(), inputs, most_bytes, plan }
}

/// A process that ends with this value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Has a task done, and reads the answer and the bytes behind it.
fn ask(
    program: &Path,
    task: &Task,
    inputs: &Inputs,
    goes_on: &dyn Fn() -> ControlFlow<()>,
) -> Result<(Answer, Vec<u8>), Failure> {
    let broken = |error: io::Error| Failure::Worker(format!("the process for its program: {error}"));
    let mut command = Command::new(program);
    command.args(["farm", SUBCOMMAND]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A terminal's signal to end this process is not for the other: work that is under way is ended before.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut process = Process(command.spawn().map_err(broken)?);
    let (stdin, stdout) = (process.0.stdin.take(), process.0.stdout.take());
    let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(Failure::Worker("the process for its program has no pipes".to_owned()));
    };
    let head = serde_json::to_vec(task).map_err(|error| Failure::Worker(error.to_string()))?;
    let pieces: Vec<Bytes> = inputs.values().cloned().collect();
    // Each end of the pipes has its thread; both end when the process has.
    let (_open, until) = channel::<()>();
    std::thread::spawn(move || send(stdin, &head, &pieces, &until));
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(receive(stdout)));
    let received = loop {
        match told.recv_timeout(LOOK) {
            Ok(received) => break received,
            Err(RecvTimeoutError::Timeout) if goes_on().is_continue() => {}
            Err(RecvTimeoutError::Timeout) => return Err(Failure::Stopped),
            Err(RecvTimeoutError::Disconnected) => break Err(io::Error::other("nobody reads it")),
        }
    };
    match received {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(Failure::Costly(died(process.0.wait().map_err(broken)?, task.most_bytes))),
        Err(error) => Err(broken(error)),
    }
}

/// Writes all of it, and keeps the pipe open until nobody wants to know more: the process ends when it is closed.
fn send(mut stdin: impl Write, head: &[u8], pieces: &[Bytes], until: &Receiver<()>) {
    let mut write = || {
        stdin.write_all(head)?;
        stdin.write_all(b"\n")?;
        pieces.iter().try_for_each(|piece| stdin.write_all(piece))
    };
    if let Err(error) = write() {
        // It has ended, or reads no more: its answer counts.
        tracing::debug!("the process for a program: {error}");
    }
    // An error means that the other end is gone, as expected.
    let _ = until.recv();
}

/// The answer and the bytes behind it; `None` if no answer came to its end.
fn receive(stdout: impl Read) -> io::Result<Option<(Answer, Vec<u8>)>> {
    let mut stdout = io::BufReader::new(stdout);
    let mut line = Vec::new();
    stdout.read_until(b'\n', &mut line)?;
    let Ok(answer) = serde_json::from_slice::<Answer>(&line) else { return Ok(None) };
    let mut length = [0; 8];
    if !matches!(answer, Answer::Run(_)) {
        return Ok(Some((answer, Vec::new())));
    }
    if stdout.read_exact(&mut length).is_err() {
        return Ok(None);
    }
    let length = usize::try_from(u64::from_le_bytes(length)).map_err(io::Error::other)?;
    let mut run = Vec::new();
    run.try_reserve_exact(length).map_err(io::Error::other)?;
    stdout.take(length as u64).read_to_end(&mut run)?;
    Ok((run.len() == length).then_some((answer, run)))
}

/// Why a process gave no answer.
fn died(status: ExitStatus, most_bytes: Option<u64>) -> String {
    let most = most_bytes.map_or_else(|| "there is".to_owned(), |bytes| format!("{}, which it is given", Size(bytes)));
    format!(
        "the run of its program took more memory than {most}, or ended its process otherwise ({status}): it is to take less"
    )
}
