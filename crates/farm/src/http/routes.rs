//! The routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, delete, get, post, put};
use serde::Serialize;

use super::app::{App, json};
use super::counters::Throughput;
use super::farm::Counts;
use super::problem::{self, Problem};
use super::{bytes, events, guard, jobs, metrics, page};

/// The paths and their handlers. Routes for which the role `read` is not enough are neither GET nor HEAD.
fn paths() -> Vec<(&'static str, MethodRouter<Arc<App>>)> {
    vec![
        ("/", get(page::html)),
        ("/page.css", get(page::css)),
        ("/page.js", get(page::js)),
        ("/openapi.json", get(page::openapi)),
        ("/healthz", get(|| async { "alive\n" })),
        ("/readyz", get(ready)),
        ("/metrics", get(metrics::all)),
        ("/v1/summary", get(summary)),
        ("/v1/jobs", get(jobs::list).merge(post(jobs::submit))),
        ("/v1/jobs/{name}", get(jobs::status).merge(delete(jobs::cancel))),
        ("/v1/jobs/{name}/proof", get(bytes::proof)),
        ("/v1/jobs/{name}/events", get(events::of_job)),
        ("/v1/events", get(events::all)),
        ("/v1/inputs", put(bytes::put_input)),
        ("/v1/workers", get(workers)),
        ("/v1/alarms", get(alarms)),
    ]
}

/// All of it.
pub(super) fn router(app: &Arc<App>) -> Router {
    let router = paths().into_iter().fold(Router::new(), |router, (path, methods)| router.route(path, methods));
    let no_route =
        |uri: axum::http::Uri| async move { Problem::new(problem::NO_ROUTE, format!("the path is {}", uri.path())) };
    let no_method = |method: axum::http::Method, uri: axum::http::Uri| async move {
        Problem::new(problem::METHOD, format!("{method} {}", uri.path()))
    };
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app.clone())
}

/// `GET /readyz`: whether the servers answer.
async fn ready(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    app.ask(app.farm.ping()).await?;
    Ok((StatusCode::OK, "ready\n").into_response())
}

/// How the farm stands.
#[derive(Serialize)]
struct Summary {
    /// The server's clock, in milliseconds since 1970.
    now: u64,
    #[serde(flatten)]
    counts: Counts,
    throughput: Throughput,
}

/// `GET /v1/summary`
async fn summary(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let counts = app.ask(app.farm.counts()).await?;
    Ok(json(&Summary { now: crate::now(), counts, throughput: app.counters.throughput() }))
}

/// `GET /v1/workers`
async fn workers(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    Ok(json(&app.ask(app.farm.workers()).await?))
}

/// `GET /v1/alarms`
async fn alarms(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    Ok(json(&app.ask(app.farm.alarms()).await?))
}

#[cfg(test)]
mod tests {
    use super::paths;
    use crate::http::{OPENAPI, problem};

    #[test]
    fn paths_and_problems_are_those_that_are_described() {
        let description: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        let mut described: Vec<&str> = description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut found: Vec<&str> = paths().iter().map(|(path, _)| *path).collect();
        described.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, described);
        let kinds = &description["components"]["schemas"]["Problem"]["properties"]["type"]["enum"];
        let found: Vec<String> = problem::ALL.iter().map(|kind| format!("{}{}", problem::TYPES, kind.name)).collect();
        let mut described: Vec<String> = serde_json::from_value(kinds.clone()).unwrap();
        described.sort_unstable();
        assert_eq!(
            {
                let mut found = found;
                found.sort_unstable();
                found
            },
            described
        );
    }
}
