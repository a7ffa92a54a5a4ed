//! The process that runs hints, as the run sees it: it is started, asked, and ended, whatever it does.

use std::fmt;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf, absolute};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use field::Bytes;
use proof_format::text::excerpt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Signal;

use super::granted::{MEMORY, SERVE, seconds};
use super::message::{Reply, Request, VERSION};
use super::wire::{LENGTH, Malformed, length};
use crate::StopFlag;

/// Time between two questions whether to go on.
const LOOK: Duration = Duration::from_millis(20);
/// Time that a process has to start.
const STARTS_WITHIN: Duration = Duration::from_secs(10);
/// How much longer a hint may take by the clock than by the processor.
const CLOCK: u32 = 6;
/// Time that a process has to end when it says nothing any more.
const ENDS_WITHIN: Duration = Duration::from_secs(2);
/// Bytes of what the process says of its end.
const MAX_SAID: u64 = 1 << 12;

/// A process that runs the hints of one run.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    said: ChildStderr,
    program: PathBuf,
    stop: StopFlag,
    /// Whether it has said that it is ready.
    is_ready: bool,
    /// Time that the run has waited for it.
    waited: Duration,
    /// Hints that it was given.
    hints: u64,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nobody wants the run any more.
    Stopped,
    /// A path, and why no process is started of it.
    NoProgram(PathBuf, String),
    /// It is the path of another program.
    NoServer(PathBuf, String),
    Memory,
    Processor(u64),
    Clock(u64),
    Depth,
    /// It has ended, in another way.
    Ended(String),
    Malformed(&'static str),
}

impl From<Malformed> for Fault {
    fn from(Malformed(why): Malformed) -> Self {
        Self::Malformed(why)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => write!(f, "it was cancelled"),
            Self::NoProgram(path, why) => {
                write!(f, "hints in Python run in a process of their own, and {} does not start: {why}", path.display())
            }
            Self::NoServer(path, why) => write!(
                f,
                "{} does not run hints in Python ({why}): name a program that calls `cairo_run::serve_hints` first of \
                 all, in the same version",
                path.display()
            ),
            Self::Memory => write!(f, "hints take more memory than their process may take, which is {}", Bytes(MEMORY)),
            Self::Processor(seconds) => write!(f, "hints take more than {seconds} s of processor time"),
            Self::Clock(seconds) => write!(f, "hints take more than {seconds} s"),
            Self::Depth => write!(f, "it nests deeper than the stack of its process"),
            Self::Ended(how) => write!(f, "the process of the hints has ended: {how}"),
            Self::Malformed(why) => write!(f, "the process of the hints does not say what it should: {why}"),
        }
    }
}

impl Process {
    /// Starts the program, which must serve hints.
    pub(super) fn start(program: &Path, stop: &StopFlag) -> Result<Self, Fault> {
        let path = absolute(program).map_err(|error| Fault::NoProgram(program.to_owned(), error.to_string()))?;
        let mut command = Command::new(path);
        command.arg(SERVE);
        Self::of(command, program, stop)?.ready()
    }

    fn of(mut command: Command, program: &Path, stop: &StopFlag) -> Result<Self, Fault> {
        let fault = |why: String| Fault::NoProgram(program.to_owned(), why);
        // It has no variables of the environment and no folder of the user's.
        command.env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| fault(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(from), Some(said)) = pipes else {
            end(&mut child);
            return Err(fault("it has no pipes".into()));
        };
        let process = Self {
            child,
            to,
            from: BufReader::with_capacity(1 << 16, from),
            said,
            program: program.to_owned(),
            stop: stop.clone(),
            is_ready: false,
            waited: Duration::ZERO,
            hints: 0,
        };
        let quick = || {
            unblocked(&process.to)?;
            unblocked(process.from.get_ref())?;
            unblocked(&process.said)
        };
        quick().map_err(|error| fault(error.to_string()))?;
        Ok(process)
    }

    fn ready(mut self) -> Result<Self, Fault> {
        let no_server = |why: &str| Fault::NoServer(self.program.clone(), why.to_owned());
        let (other, malformed) = (no_server("it has another version"), no_server("it says something else"));
        match self.receive() {
            Ok(Request::Ready { version: VERSION }) => {
                self.is_ready = true;
                self.waited = Duration::ZERO;
                Ok(self)
            }
            Ok(Request::Ready { .. }) => Err(other),
            Ok(_) | Err(Fault::Malformed(_)) => Err(malformed),
            Err(fault) => Err(fault),
        }
    }

    /// A hint is sent next.
    pub(super) fn begin_hint(&mut self) {
        self.hints += 1;
    }

    /// The time by the clock in which it must answer.
    fn time(&self) -> Duration {
        if self.is_ready { Duration::from_secs(seconds(self.hints)) * CLOCK } else { STARTS_WITHIN }
    }

    /// Sends a message.
    pub(super) fn send(&mut self, reply: &Reply) -> Result<(), Fault> {
        let message = reply.write()?;
        let mut rest = &message[..];
        while !rest.is_empty() {
            match self.to.write(rest) {
                Ok(count) if count > 0 => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(true)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return Err(self.ended()),
            }
        }
        Ok(())
    }

    /// The next message.
    pub(super) fn receive(&mut self) -> Result<Request, Fault> {
        let mut head = [0; LENGTH];
        self.fill(&mut head)?;
        let mut message = vec![0; length(head)?];
        self.fill(&mut message)?;
        Ok(Request::read(&message)?)
    }

    fn fill(&mut self, mut rest: &mut [u8]) -> Result<(), Fault> {
        while !rest.is_empty() {
            match self.from.read(rest) {
                Ok(count) if count > 0 => rest = &mut rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(false)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return Err(self.ended()),
            }
        }
        Ok(())
    }

    /// Waits until it takes more or says more.
    fn wait(&mut self, is_sent: bool) -> Result<(), Fault> {
        let time = self.time();
        loop {
            if self.stop.is_stopped() {
                return Err(Fault::Stopped);
            }
            if self.waited >= time {
                return Err(match self.is_ready {
                    true => Fault::Clock(time.as_secs()),
                    false => {
                        Fault::NoServer(self.program.clone(), format!("it says nothing within {} s", time.as_secs()))
                    }
                });
            }
            let begun = Instant::now();
            let look = Timespec { tv_sec: 0, tv_nsec: LOOK.as_nanos() as _ };
            let (fd, flags) = match is_sent {
                true => (self.to.as_fd(), PollFlags::OUT),
                false => (self.from.get_ref().as_fd(), PollFlags::IN),
            };
            let found = poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&look));
            self.waited += begun.elapsed();
            match found {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(Fault::Ended(io::Error::from(error).to_string())),
            }
        }
    }

    /// Why it says nothing any more.
    fn ended(&mut self) -> Fault {
        let status = self.status();
        let mut said = Vec::new();
        // Its last words are in the pipe.
        let _ = (&mut self.said).take(MAX_SAID).read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        let Some(status) = status else { return Fault::Ended("it has closed its pipes".into()) };
        let how = match said.trim() {
            "" => status.to_string(),
            said => format!("{status}: {}", excerpt(said)),
        };
        if !self.is_ready {
            return Fault::NoServer(self.program.clone(), how);
        }
        let signal = status.signal().and_then(Signal::from_named_raw);
        match signal {
            Some(Signal::XCPU) => Fault::Processor(seconds(self.hints)),
            Some(Signal::ABORT) if said.contains("overflowed its stack") => Fault::Depth,
            Some(Signal::ABORT) if said.contains("memory allocation") => Fault::Memory,
            _ => Fault::Ended(how),
        }
    }

    /// How it has ended, if it does soon.
    fn status(&mut self) -> Option<ExitStatus> {
        let begun = Instant::now();
        while begun.elapsed() < ENDS_WITHIN && !self.stop.is_stopped() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends a process, and waits until it is gone: it cannot refuse.
fn end(child: &mut Child) {
    // Both fail if it has ended and was waited for.
    let _ = child.kill();
    let _ = child.wait();
}

/// Lets reads and writes of a pipe return at once.
fn unblocked(pipe: &impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(pipe)?;
    Ok(fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::python::message::Start;

    /// A process that says nothing and reads nothing.
    fn silent() -> Process {
        let mut command = Command::new("/bin/sleep");
        command.arg("60");
        Process::of(command, Path::new("/bin/sleep"), &StopFlag::default()).unwrap()
    }

    fn hint(bytes: usize) -> Reply {
        let place = cairo_vm::types::relocatable::Relocatable { segment_index: 0, offset: 0 };
        let text = Some("x".repeat(bytes));
        Reply::Hint(Start {
            number: 0,
            text,
            scope: 0,
            left: Vec::new(),
            registers: [place; 3],
            steps: 0,
            numbers: Vec::new(),
        })
    }

    #[test]
    fn silence_ends_with_its_time() {
        let mut process = silent();
        process.waited = STARTS_WITHIN - LOOK;
        let begun = Instant::now();
        let fault = process.ready().unwrap_err();
        assert_eq!(fault, Fault::NoServer("/bin/sleep".into(), "it says nothing within 10 s".into()));
        let mut process = silent();
        process.is_ready = true;
        process.waited = Duration::from_secs(60) - LOOK;
        assert_eq!(process.receive(), Err(Fault::Clock(60)));
        // Each ten thousand hints have a second more of the processor, and six of the clock.
        process.hints = 10_000;
        process.waited = Duration::from_secs(66) - LOOK;
        assert_eq!(process.receive(), Err(Fault::Clock(66)));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }

    /// A message that the pipe does not hold, to a process that does not read it.
    #[test]
    fn a_process_that_does_not_read_is_not_waited_for() {
        let mut process = silent();
        process.is_ready = true;
        process.waited = Duration::from_secs(60) - LOOK;
        assert_eq!(process.send(&hint(1 << 20)), Err(Fault::Clock(60)));
    }

    #[test]
    fn a_cancelled_run_waits_no_longer() {
        let mut process = silent();
        process.is_ready = true;
        let (stop, begun) = (process.stop.clone(), Instant::now());
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            stop.stop();
        });
        assert_eq!(process.receive(), Err(Fault::Stopped));
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        other.join().unwrap();
    }
}
