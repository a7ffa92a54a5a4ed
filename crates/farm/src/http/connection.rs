//! Connections: their limit, and the end of one whose client does nothing.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep};

use super::options::HttpOptions;

/// Bytes of a request's head.
const HEAD_BYTES: usize = 32 << 10;
/// How long requests in progress may take once the server stops.
const STOP_TIME: Duration = Duration::from_secs(5);
/// The answer to any request of a connection too many.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Serves connections until `stop` is true; then ends idle ones, and others when they have their answer.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    options: &HttpOptions,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(options.connections));
    let mut open = JoinSet::new();
    loop {
        let stream = tokio::select! {
            () = stopped(&mut stop) => break,
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // No file descriptors, most likely: they come back when connections end.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            // It fits the empty buffer of a new socket; a client that does not read it is closed all the same.
            let _ = stream.try_write(TOO_MANY);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(options.head_time).max_buf_size(HEAD_BYTES);
        let io = TokioIo::new(StallGuard::new(stream, options.stall_time));
        let (router, mut stop) = (router.clone(), stop.clone());
        open.spawn(async move {
            let mut connection = std::pin::pin!(http.serve_connection(io, TowerToHyperService::new(router)));
            tokio::select! {
                _ = &mut connection => {}
                () = stopped(&mut stop) => {
                    connection.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(STOP_TIME, connection).await;
                }
            }
            drop(place);
        });
    }
    while open.join_next().await.is_some() {}
}

/// Returns when it is true, such as when a server stops.
pub async fn stopped(stop: &mut watch::Receiver<bool>) {
    // The sender is gone: this means stop, too.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// A connection that fails if its client takes nothing for a time while something waits to be sent.
struct StallGuard {
    stream: TcpStream,
    most: Duration,
    /// Until when the client has to take something; set while something waits.
    until: Option<Pin<Box<Sleep>>>,
}

impl StallGuard {
    fn new(stream: TcpStream, most: Duration) -> Self {
        Self { stream, most, until: None }
    }

    /// The result of a write; an error if none went through for too long.
    fn within<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.until = None;
            return written;
        }
        let deadline = Instant::now() + self.most;
        let until = self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client takes nothing")))
    }
}

impl AsyncRead for StallGuard {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for StallGuard {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
