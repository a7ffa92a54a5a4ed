//! The content of a request, or its problem.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use proof_format::text::parser_message;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::app::App;
use super::problem::{self, Problem};
use crate::{Error, JobName};

/// The job that the path names.
pub(super) struct Name(pub(super) JobName);

impl FromRequestParts<Arc<App>> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let wrong = |what: String| Problem::new(problem::BAD_REQUEST, format!("the job's name in the path: {what}"));
        let Path(name) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|error| wrong(parser_message(&error.body_text())))?;
        app.ask(app.farm.named(&name)).await.map(Self)
    }
}

/// The query, all of whose words are known.
pub(super) struct Strict<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Strict<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Query(query) = Query::try_from_uri(&parts.uri).map_err(|error| {
            Problem::new(problem::BAD_REQUEST, format!("the query: {}", parser_message(&error.body_text())))
        })?;
        Ok(Self(query))
    }
}

/// How large a body may be, and how long it may take.
pub(super) struct BodyLimits {
    pub(super) what: &'static str,
    pub(super) bytes: usize,
    /// For all of it.
    pub(super) time: Duration,
    /// For each piece of it.
    pub(super) stall: Duration,
}

/// A body, of which no more is read than may be.
pub(super) async fn body(headers: &HeaderMap, body: Body, bound: &BodyLimits) -> Result<Bytes, Problem> {
    let too_large = |is| Problem::from(Error::Limit { what: bound.what, is, limit: bound.bytes as u64 });
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if let Some(length) = length.filter(|length| *length > bound.bytes as u64) {
        return Err(too_large(length));
    }
    let end = Instant::now() + bound.time;
    let mut pieces: BodyDataStream = body.into_data_stream();
    let mut bytes = BytesMut::new();
    loop {
        let piece = timeout_at(end.min(Instant::now() + bound.stall), pieces.next()).await.map_err(|_| {
            let (time, stall) = (bound.time.as_secs_f64(), bound.stall.as_secs_f64());
            let is = bytes.len();
            let detail =
                format!("of {} came {is} bytes; all of it may take {time} s, and a pause {stall} s", bound.what);
            Problem::new(problem::SLOW, detail)
        })?;
        match piece {
            None => return Ok(bytes.freeze()),
            Some(Ok(piece)) if bytes.len() + piece.len() > bound.bytes => {
                return Err(too_large((bytes.len() + piece.len()) as u64));
            }
            Some(Ok(piece)) => bytes.extend_from_slice(&piece),
            Some(Err(error)) => {
                return Err(Problem::new(problem::BAD_REQUEST, format!("{} is cut off: {error}", bound.what)));
            }
        }
    }
}
