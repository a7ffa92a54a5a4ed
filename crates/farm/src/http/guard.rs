//! The guard before every route: it checks the caller, counts requests, and limits the use of answers by browsers.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use proof_format::text::excerpt;

use super::app::App;
use super::problem::{self, Problem};
use super::tokens::Role;

/// The page takes its own style and script, and talks to its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Paths that need no token: they say nothing of the farm.
const OPEN: [&str; 6] = ["/", "/page.css", "/page.js", "/openapi.json", "/healthz", "/readyz"];

/// Answers a request, if it may be answered.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", |path| path.as_str()).to_owned();
    let method = name(request.method());
    let allowed = host(&app, request.headers()).and_then(|()| token(&app, &request, &route));
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    fixed.into_iter().for_each(|(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    app.counters.request((method, route, response.status().as_u16()));
    response
}

/// A method as it is counted: others than the usual ones are one.
fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "other",
    }
}

/// A site whose name was made to point to this machine could ask in the name of its visitors: without tokens, a farm of
/// this machine answers to its own names alone.
fn host(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    if !app.is_local || !app.options.tokens.is_empty() {
        return Ok(());
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_own = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if is_own { Ok(()) } else { Err(Problem::new(problem::HOST, format!("the request's Host is `{}`", excerpt(host)))) }
}

/// Whether the request has the token that it needs.
fn token(app: &App, request: &Request, route: &str) -> Result<(), Problem> {
    let tokens = &app.options.tokens;
    if tokens.is_empty() || OPEN.contains(&route) {
        return Ok(());
    }
    let header = request.headers().get(header::AUTHORIZATION).and_then(|header| header.to_str().ok());
    let Some(header) = header else { return Err(Problem::new(problem::NO_TOKEN, "the request has no Authorization")) };
    let token = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let role = token.and_then(|(_, token)| tokens.role(token.trim()));
    let Some(role) = role else { return Err(Problem::new(problem::NO_TOKEN, "the farm does not know the token")) };
    let needed = if request.method().is_safe() { Role::Read } else { Role::Submit };
    if role < needed {
        return Err(Problem::new(
            problem::NOT_ALLOWED,
            format!("{} {route} needs the role `submit`", request.method()),
        ));
    }
    Ok(())
}
