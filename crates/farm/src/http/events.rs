//! Server-sent events: each status as it changes.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::app::App;
use super::ask::{Name, Strict};
use super::connection::stopped;
use super::hub::Lagged;
use super::problem::{self, Problem};
use crate::JobName;

/// Events that are taken from the ring at a time, and their bytes.
const BATCH: (usize, usize) = (64, 64 << 10);
/// How long a client waits before it connects again, in milliseconds.
const FIRST: &str = "retry: 2000\n\n";
const ALIVE: &[u8] = b": alive\n\n";

/// A query without words.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

/// `GET /v1/events`: changes of all jobs.
pub(super) async fn all(
    State(app): State<Arc<App>>,
    Strict(NoQuery {}): Strict<NoQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let feed = Feed::new(&app, None)?;
    Ok(feed.resume(&headers).response())
}

/// `GET /v1/jobs/{name}/events`: how the job stands, and its changes until its state is final. 204 says to a client
/// that comes back that there will be no more.
pub(super) async fn of_job(
    State(app): State<Arc<App>>,
    Name(name): Name,
    Strict(NoQuery {}): Strict<NoQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut feed = Feed::new(&app, Some(name))?;
    let status = app.ask(app.farm.status(name)).await?;
    if status.state.is_final() && headers.contains_key(LAST_EVENT_ID) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    feed.is_over = status.state.is_final();
    feed.first.push_back(app.hub.present(&status, feed.next).frame);
    Ok(feed.response())
}

const LAST_EVENT_ID: &str = "last-event-id";

/// The stream of events to one client.
struct Feed {
    app: Arc<App>,
    head: watch::Receiver<u64>,
    stop: watch::Receiver<bool>,
    /// The number of the event that is sent next.
    next: u64,
    /// The job whose changes are sent, if not all jobs are.
    of: Option<JobName>,
    first: VecDeque<Bytes>,
    is_over: bool,
    _place: OwnedSemaphorePermit,
}

impl Feed {
    fn new(app: &Arc<App>, of: Option<JobName>) -> Result<Self, Problem> {
        let place = app.streams.clone().try_acquire_owned().map_err(|_| {
            let most = app.options.streams;
            Problem::new(problem::BUSY, format!("{most} streams of events are open, which is as many as there may be"))
        })?;
        let mut head = app.hub.head();
        let next = *head.borrow_and_update();
        let (first, stop) = (VecDeque::from([Bytes::from_static(FIRST.as_bytes())]), app.stop.clone());
        Ok(Self { app: app.clone(), head, stop, next, of, first, is_over: false, _place: place })
    }

    /// Goes on behind the event that the client had last, or says that some may be missing.
    fn resume(mut self, headers: &HeaderMap) -> Self {
        if let Some(id) = headers.get(LAST_EVENT_ID) {
            match id.to_str().ok().and_then(|id| self.app.hub.behind(id)) {
                Some(next) => self.next = next,
                None => self.first.push_back(self.app.hub.gap(self.next).frame),
            }
        }
        self
    }

    fn response(self) -> Response {
        let body = stream::unfold(self, |mut feed| async {
            let bytes = feed.bytes().await?;
            Some((Ok::<_, std::convert::Infallible>(bytes), feed))
        });
        let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
        // Proxies of nginx's kind hold answers back unless they are told.
        (headers, [("x-accel-buffering", "no")], Body::from_stream(body)).into_response()
    }

    /// The next bytes to send, `None` at the end.
    async fn bytes(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.pop_front() {
            return Some(first);
        }
        loop {
            if self.is_over || *self.stop.borrow() {
                return None;
            }
            let events = match self.app.hub.from(self.next, BATCH) {
                Ok(events) => events,
                Err(Lagged) => {
                    self.app.counters.cut_off();
                    return None;
                }
            };
            self.next += events.len() as u64;
            let mut bytes = BytesMut::new();
            for event in events {
                if self.of.is_none_or(|name| event.name.is_none_or(|of| of == name)) && !self.is_over {
                    self.is_over = self.of.is_some() && event.is_last;
                    bytes.extend_from_slice(&event.frame);
                }
            }
            if !bytes.is_empty() {
                return Some(bytes.freeze());
            }
            if self.next < *self.head.borrow_and_update() {
                continue;
            }
            tokio::select! {
                changed = self.head.changed() => changed.ok()?,
                () = stopped(&mut self.stop) => return None,
                () = tokio::time::sleep(self.app.options.alive_time) => return Some(Bytes::from_static(ALIVE)),
            }
        }
    }
}
