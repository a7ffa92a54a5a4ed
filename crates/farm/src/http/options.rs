//! Options of the HTTP side.

use std::net::SocketAddr;
use std::time::Duration;

use super::tokens::Tokens;
use crate::{Error, Result};

/// Options of the HTTP side. Each default is a bound that a farm behind a reverse proxy can live with.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The accepted tokens. Without tokens everybody may do everything, which is refused on any address but loopback
    /// unless [`Self::anyone`].
    pub tokens: Tokens,
    /// Whether everybody who reaches an address that is not loopback may do everything.
    pub anyone: bool,
    /// Bytes of a submission: fewer than a job may have that comes another way, as every change of it is an event for
    /// every client.
    pub job_bytes: usize,
    /// Bytes of an input.
    pub input_bytes: usize,
    /// Connections at a time; a further one is answered with 503 and closed.
    pub connections: usize,
    /// Streams of events at a time.
    pub streams: usize,
    /// Inputs and proofs at a time, each of which is held in memory.
    pub transfers: usize,
    /// Within which a request's head must have come; an idle connection is closed after it.
    pub head_time: Duration,
    /// How long a client may take or send nothing while it is its turn.
    pub stall_time: Duration,
    /// Within which a submission must have come.
    pub body_time: Duration,
    /// Within which an input must have come, or a proof have gone.
    pub transfer_time: Duration,
    /// Within which the farm's servers must answer.
    pub answer_time: Duration,
    /// How often a stream without events says that it lives.
    pub alive_time: Duration,
    /// How many events are kept for clients that are behind; one that is further behind is cut off.
    pub kept_events: usize,
    /// Bytes of the kept events, at most: fewer are kept if they are long.
    pub kept_bytes: usize,
}

impl HttpOptions {
    /// Refuses to serve everybody at an address, unless that is meant.
    ///
    /// # Errors
    /// [`Error::Options`].
    pub fn check(&self, address: SocketAddr) -> Result<()> {
        if self.anyone || !self.tokens.is_empty() || is_loopback(address) {
            return Ok(());
        }
        Err(Error::Options(format!(
            "everybody who reaches {address} could submit and cancel: give a file of tokens, listen on 127.0.0.1, or say that anyone may"
        )))
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            tokens: Tokens::default(),
            anyone: false,
            job_bytes: 64 << 10,
            input_bytes: 64 << 20,
            connections: 512,
            streams: 128,
            transfers: 8,
            head_time: seconds(10),
            stall_time: seconds(10),
            body_time: seconds(10),
            transfer_time: seconds(600),
            answer_time: seconds(30),
            alive_time: seconds(15),
            kept_events: 4096,
            kept_bytes: 32 << 20,
        }
    }
}

/// Whether an address is of this machine alone.
pub(super) fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
