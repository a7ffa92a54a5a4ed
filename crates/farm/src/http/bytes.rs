//! Bodies of many bytes: inputs and proofs. An input is in memory as a whole, so their number at a time is limited; a
//! proof is streamed.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::app::{App, json};
use super::ask::{self, BodyLimits, Name};
use super::problem::{self, Problem};
use crate::{Artefact, Digest, Error};

/// An input that is stored.
#[derive(Serialize)]
struct StoredInput {
    digest: Digest,
    bytes: usize,
}

/// `PUT /v1/inputs`: stores the body by its digest.
pub(super) async fn put_input(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let options = &app.options;
    let _place = place(&app)?;
    let bound = BodyLimits {
        what: "an input's bytes",
        bytes: options.input_bytes,
        time: options.transfer_time,
        stall: options.stall_time,
    };
    let input = ask::body(&headers, body, &bound).await?;
    let bytes = input.len();
    let digest = app.ask(app.farm.put_input(input)).await?;
    Ok(json(&StoredInput { digest, bytes }))
}

/// `GET /v1/jobs/{name}/proof`
pub(super) async fn proof(
    State(app): State<Arc<App>>,
    Name(name): Name,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let status = app.ask(app.farm.status(name)).await?;
    let digest = status.proof.ok_or(Error::State { name, state: status.state })?;
    let tag = format!("\"{digest}\"");
    let about = [(header::ETAG, tag.clone()), (header::CACHE_CONTROL, "private, no-cache".into())];
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|tags| tags.to_str().ok());
    if known.flat_map(|tags| tags.split(',')).any(|known| matches!(known.trim(), known if known == "*" || known == tag))
    {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    let place = place(&app)?;
    // The answer begins in time; its body has the time of a transfer.
    let proof = app.ask(app.farm.proof(name)).await?;
    let what = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, proof.bytes.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.proof\"")),
    ];
    Ok((about, what, pieces(proof, place, Instant::now() + app.options.transfer_time)).into_response())
}

/// A place among requests that hold much memory.
fn place(app: &App) -> Result<OwnedSemaphorePermit, Problem> {
    app.transfers.clone().try_acquire_owned().map_err(|_| {
        let most = app.options.transfers;
        Problem::new(problem::BUSY, format!("{most} inputs and proofs are under way, which is as many as there may be"))
    })
}

/// The bytes as they come, until a time; the place is free when they have gone. Where they break off, so does the
/// connection.
fn pieces(proof: Artefact, place: OwnedSemaphorePermit, until: Instant) -> Body {
    let pieces = stream::unfold((proof.pieces, Some(place)), move |(mut pieces, place)| async move {
        let place = place?;
        let failed = match timeout_at(until, pieces.next()).await {
            Ok(Some(Ok(piece))) => return Some((Ok(piece), (pieces, Some(place)))),
            Ok(None) => return None,
            Ok(Some(Err(error))) => {
                tracing::error!("a proof over HTTP: {error}");
                io::Error::other(error.to_string())
            }
            Err(_) => io::Error::from(io::ErrorKind::TimedOut),
        };
        Some((Err(failed), (pieces, None)))
    });
    Body::from_stream(pieces)
}
