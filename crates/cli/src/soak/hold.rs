//! Another process that holds memory of the device: now a little more, now a little less.

use std::any::Any;
use std::io::{BufRead, BufReader, Read, stdin};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use gpu_hal::{Bytes, ErrorKind, HalError, StarkBackend as _};

use crate::arguments::DeviceArguments;
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::field::Goldilocks;
use sdk::{Device, Error, Goldilocks3, Registry};

/// Bytes taken at a time. A smaller whole is one piece.
const PIECE: u64 = 1 << 28;
/// How often some of it is given back, and then taken again.
const BREATH: Duration = Duration::from_millis(200);
/// The share that is given back: one piece in this many, at least one.
const SHARE: usize = 32;

fn failure(why: &str) -> Failure {
    let why = format!("the process that holds memory: {why}");
    Error::from(HalError::new(ErrorKind::Unavailable, "hold", why)).into()
}

/// The other process, which ends with this.
pub(super) struct Holder {
    child: Child,
    /// The bytes that it held at first.
    pub(super) bytes: u64,
}

impl Holder {
    /// Starts it and waits until it holds as much as it can get.
    pub(super) fn start(words: Vec<String>) -> Result<Self, Failure> {
        let fails = |error: std::io::Error| failure(&error.to_string());
        let program = std::env::current_exe().map_err(fails)?;
        let child =
            Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(fails)?;
        let mut holder = Self { child, bytes: 0 };
        let mut line = String::new();
        if let Some(output) = holder.child.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(fails)?;
        }
        holder.bytes = line.trim().parse().map_err(|_| failure("it ended at once; what it said stands above"))?;
        Ok(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It may have ended itself: there is nothing to do about either error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The work of the other process, until nobody writes to its standard input any more.
pub(super) fn hold(device: &DeviceArguments, bytes: u64, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let device = device.open::<Goldilocks3>(registry)?;
    let (end, ended) = channel::<()>();
    std::thread::spawn(move || {
        let _ = stdin().read_to_end(&mut Vec::new());
        drop(end);
    });
    let size = PIECE.min(bytes);
    let count = usize::try_from(bytes.checked_div(size).unwrap_or(0)).unwrap_or(usize::MAX);
    let mut pieces: Vec<Box<dyn Any>> = Vec::new();
    let mut is_told = false;
    loop {
        while pieces.len() < count {
            match piece(&device, size) {
                Ok(piece) => pieces.push(piece),
                // The others have it.
                Err(_) => break,
            }
        }
        if !is_told {
            let held = size * pieces.len() as u64;
            output.result(&held, &format!("holding {}\n", Bytes(held)))?;
            is_told = true;
        }
        if ended.recv_timeout(BREATH) == Err(RecvTimeoutError::Disconnected) {
            return Ok(());
        }
        pieces.truncate(pieces.len().saturating_sub((count / SHARE).max(1)));
        if ended.recv_timeout(BREATH) == Err(RecvTimeoutError::Disconnected) {
            return Ok(());
        }
    }
}

/// Takes about this many bytes of the device, until the result is dropped.
fn piece(device: &Device<Goldilocks3>, bytes: u64) -> Result<Box<dyn Any>, HalError> {
    let elements = (bytes / size_of::<Goldilocks>() as u64).max(1);
    let table =
        device.backend().upload_made(&|_, elements| elements.fill(Goldilocks::default()), 1, elements.ilog2())?;
    Ok(Box::new(table))
}
