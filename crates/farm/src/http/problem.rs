//! Answers to wrong requests: problem documents of RFC 9457.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use proof_format::text::bounded;
use serde::Serialize;

use crate::Error;

/// A kind of problem: the end of `type`, status, title, remedy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    status: StatusCode,
    title: &'static str,
    advice: &'static str,
    /// Seconds after which it may be tried again.
    retry: Option<u32>,
}

macro_rules! kinds {
    ($($constant:ident: $name:literal, $status:ident, $title:literal, $advice:literal, $retry:expr;)*) => {
        $(pub(super) const $constant: &Kind =
            &Kind { name: $name, status: StatusCode::$status, title: $title, advice: $advice, retry: $retry };)*
        /// All kinds.
        #[cfg(test)]
        pub(super) const ALL: &[&Kind] = &[$($constant),*];
    };
}

kinds! {
    BAD_REQUEST: "bad-request", BAD_REQUEST, "The request is wrong", "Mend what the detail names; /openapi.json says what is expected.", None;
    REFUSED: "job-refused", BAD_REQUEST, "The job cannot be proven", "Mend what the detail names and submit it again.", None;
    NO_TOKEN: "no-token", UNAUTHORIZED, "A token is needed", "Send `Authorization: Bearer TOKEN` with a token of this farm.", None;
    NOT_ALLOWED: "not-allowed", FORBIDDEN, "The token does not allow this", "Use a token whose role is `submit`.", None;
    NO_ROUTE: "no-such-route", NOT_FOUND, "There is nothing at this path", "/openapi.json lists the paths.", None;
    UNKNOWN: "unknown-job", NOT_FOUND, "There is no such job", "Submit it, to this farm; its retention may be over.", None;
    METHOD: "no-such-method", METHOD_NOT_ALLOWED, "The path has no such method", "/openapi.json lists the methods of each path.", None;
    SLOW: "slow-request", REQUEST_TIMEOUT, "The body came too slowly", "Send it again, faster.", None;
    AMBIGUOUS: "ambiguous-name", CONFLICT, "Several jobs are called so", "Take more digits of the name: the detail has the names.", None;
    STATE: "wrong-state", CONFLICT, "The job's state does not allow this", "Follow /v1/jobs/NAME/events until the state is another.", None;
    TOO_LARGE: "too-large", PAYLOAD_TOO_LARGE, "It is larger than the farm takes", "Send less, or have the limit raised where the farm is started.", None;
    MEDIA: "wrong-media-type", UNSUPPORTED_MEDIA_TYPE, "The body is of another type", "Send `Content-Type: application/json`.", None;
    HOST: "wrong-host", MISDIRECTED_REQUEST, "The request is for another host", "Ask by the address 127.0.0.1 or by `localhost`, or start the farm with tokens.", None;
    FULL: "queue-full", TOO_MANY_REQUESTS, "The farm is full", "Try again later, as Retry-After says.", Some(10);
    BUSY: "busy", SERVICE_UNAVAILABLE, "As many as allowed are served already", "Try again later, as Retry-After says.", Some(1);
    PLANNING: "planning", SERVICE_UNAVAILABLE, "The job is not planned yet", "Submit it again, as Retry-After says: a plan that was begun goes on.", Some(5);
    SERVERS: "servers", SERVICE_UNAVAILABLE, "The farm's servers do not answer", "Try again later; nothing that was accepted is lost.", Some(5);
    TIMEOUT: "servers-slow", GATEWAY_TIMEOUT, "The farm's servers did not answer in time", "Try again: each request can be repeated without harm.", Some(5);
    DAMAGED: "damaged", INTERNAL_SERVER_ERROR, "What is stored is damaged", "Tell whoever runs the farm what the detail names.", None;
    DIFFER: "proofs-differ", INTERNAL_SERVER_ERROR, "Two workers made different proofs", "Trust neither worker before one of the two is found at fault.", None;
    INTERNAL: "internal", INTERNAL_SERVER_ERROR, "The farm failed", "Tell whoever runs the farm what the detail names.", None;
}

/// The beginning of `type`.
pub(super) const TYPES: &str = "urn:polystark:farm:";

/// A problem.
#[derive(Debug)]
pub(super) struct Problem {
    kind: &'static Kind,
    /// The problem, and its place.
    detail: String,
}

/// A problem as it is written.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    advice: &'a str,
}

impl Problem {
    pub(super) fn new(kind: &'static Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: bounded(&detail.into()).into_owned() }
    }

    pub(super) fn document(&self) -> Document<'_> {
        let Kind { name, status, title, advice, .. } = *self.kind;
        Document { r#type: format!("{TYPES}{name}"), title, status: status.as_u16(), detail: &self.detail, advice }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Server { .. } | Error::Away { .. } => SERVERS,
            Error::Unknown(_) | Error::Nobody(_) => UNKNOWN,
            Error::Several { .. } => AMBIGUOUS,
            Error::NoName { .. } => BAD_REQUEST,
            Error::State { .. } => STATE,
            Error::Refused(_) => REFUSED,
            Error::Planning(_) => PLANNING,
            Error::Limit { what, .. } if [Error::QUEUE, Error::INPUTS].contains(what) => FULL,
            Error::Limit { .. } => TOO_LARGE,
            Error::Damaged { .. } => DAMAGED,
            Error::Differ { .. } => DIFFER,
            Error::Options(_) | Error::Stuck { .. } | Error::Never { .. } => INTERNAL,
        };
        Self::new(kind, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self.document()).unwrap_or_default();
        let mut response = (self.kind.status, Body::from(text)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.kind.retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.kind.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"polystark farm\""));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_does_not_repeat_all_of_what_was_sent() {
        let problem = Problem::new(BAD_REQUEST, "\u{e9}".repeat(1 << 20));
        assert!(problem.detail.len() < 9 << 10 && problem.detail.contains("[2097152 bytes]"), "{}", problem.detail);
        assert_eq!(Problem::new(BAD_REQUEST, "short").detail, "short");
    }
}
