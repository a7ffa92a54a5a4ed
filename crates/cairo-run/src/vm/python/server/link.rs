//! The run, as the process of its hints sees it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::fd::AsFd;

use crate::vm::python::message::{Reply, Request};
use crate::vm::python::wire::{LENGTH, Malformed, length};

/// Why a hint goes no further.
#[derive(Debug)]
pub(super) enum Stop {
    /// It has failed.
    Fault(String),
    /// The run is gone, or says something else: the process ends.
    Gone(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

impl From<Malformed> for Stop {
    fn from(Malformed(why): Malformed) -> Self {
        Self::Gone(io::Error::other(why))
    }
}

/// A fault of a hint.
pub(super) fn fault<T>(text: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Fault(text.into()))
}

/// The run.
#[derive(Debug)]
pub(super) struct Link {
    from: BufReader<File>,
    to: File,
    /// Messages that have no answer, and are sent with the next one that has.
    unsent: Vec<u8>,
}

/// Bytes that wait to be sent.
const UNSENT: usize = 1 << 16;

impl Link {
    /// The run that has started this process.
    pub(super) fn new() -> io::Result<Self> {
        // Without the buffers of the library.
        let from = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let to = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Self { from: BufReader::with_capacity(1 << 16, from), to, unsent: Vec::new() })
    }

    /// Sends a message that has no answer.
    pub(super) fn send(&mut self, request: &Request) -> Result<(), Stop> {
        let Ok(message) = request.write() else { return fault("a hint hands out too much at once") };
        self.unsent.extend(message);
        if self.unsent.len() > UNSENT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.to.write_all(&self.unsent)?;
        self.unsent.clear();
        Ok(())
    }

    /// The next message of the run.
    pub(super) fn receive(&mut self) -> Result<Reply, Stop> {
        self.flush()?;
        let mut head = [0; LENGTH];
        self.from.read_exact(&mut head)?;
        let mut message = vec![0; length(head)?];
        self.from.read_exact(&mut message)?;
        Ok(Reply::read(&message)?)
    }

    /// Asks the run.
    pub(super) fn ask(&mut self, request: &Request) -> Result<Reply, Stop> {
        self.send(request)?;
        self.receive()
    }
}

/// An answer to another question.
pub(super) fn other<T>(_: Reply) -> Result<T, Stop> {
    Err(Stop::Gone(io::Error::other("the run answers another question")))
}
