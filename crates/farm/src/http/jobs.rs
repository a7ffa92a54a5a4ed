//! Jobs: to submit, to see, to cancel.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use proof_format::text::{excerpt, parser_message};
use serde::Deserialize;

use super::app::{App, json};
use super::ask::{self, BodyLimits, Name, Strict};
use super::problem::{self, Problem};
use crate::{JobName, Submission};

/// Jobs of an answer by default, and at most.
const USUAL: usize = 100;
const MOST: usize = 1000;

/// `POST /v1/jobs`: 202 if the job is queued now, 200 if it was there already.
pub(super) async fn submit(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Result<Response, Problem> {
    // A page of another site can send text without asking, and JSON it cannot.
    let media = headers.get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    if !media.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json")) {
        return Err(Problem::new(problem::MEDIA, format!("the body's Content-Type is `{}`", excerpt(media))));
    }
    let options = &app.options;
    let bound = BodyLimits {
        what: "a submission's bytes",
        bytes: options.job_bytes,
        time: options.body_time,
        stall: options.stall_time,
    };
    let bytes = ask::body(&headers, body, &bound).await?;
    let submission: Submission = serde_json::from_slice(&bytes).map_err(|error| {
        Problem::new(problem::BAD_REQUEST, format!("the submission: {}", parser_message(&error.to_string())))
    })?;
    let submitted = app.ask(app.farm.submit(submission)).await?;
    let status = if submitted.queued { StatusCode::ACCEPTED } else { StatusCode::OK };
    let location = format!("/v1/jobs/{}", submitted.status.name);
    Ok((status, [(header::LOCATION, location)], json(&submitted.status)).into_response())
}

/// The query of [`list`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    state: Option<crate::State>,
    limit: Option<usize>,
    after: Option<JobName>,
}

/// `GET /v1/jobs`: jobs in the order of their names.
pub(super) async fn list(State(app): State<Arc<App>>, Strict(which): Strict<ListQuery>) -> Result<Response, Problem> {
    let limit = which.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::new(problem::BAD_REQUEST, format!("the query: limit is {limit}, not 1 to {MOST}")));
    }
    Ok(json(&app.ask(app.farm.list(which.state, limit, which.after)).await?))
}

/// `GET /v1/jobs/{name}`
pub(super) async fn status(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Problem> {
    Ok(json(&app.ask(app.farm.status(name)).await?))
}

/// `DELETE /v1/jobs/{name}`
pub(super) async fn cancel(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Problem> {
    Ok(json(&app.ask(app.farm.cancel(name)).await?))
}
