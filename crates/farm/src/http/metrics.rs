//! `GET /metrics`, in Prometheus' text format 0.0.4.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::app::App;
use super::counters::BOUNDS;
use crate::Worker;

/// All metrics. Metrics of the farm are left out while its servers do not answer, or not in time; `polystark_farm_up`
/// says whether they do.
pub(super) async fn all(State(app): State<Arc<App>>) -> Response {
    let mut text = Text(String::new());
    let farm = async {
        Ok::<_, crate::Error>((app.farm.counts().await?, app.farm.workers().await?, app.farm.alarms().await?))
    };
    let is_up = app.ask(app.farm.ping()).await.is_ok();
    text.one("up", "gauge", "Whether the farm's servers answer.", u8::from(is_up));
    let farm = if is_up { app.ask(farm).await.ok() } else { None };
    if let Some((counts, workers, alarms)) = farm {
        text.head("jobs", "gauge", "Jobs by state.");
        counts.jobs.iter().for_each(|(state, count)| text.line("jobs", &[("state", state)], count));
        text.head("queue_depth", "gauge", "Jobs that wait for a worker, by priority.");
        counts.queue.iter().for_each(|(priority, count)| text.line("queue_depth", &[("priority", priority)], count));
        let count = |is: fn(&Worker) -> bool| workers.iter().filter(|worker| is(worker)).count();
        text.head("workers", "gauge", "Workers that were heard of lately.");
        text.line("workers", &[("draining", "false")], count(|worker| !worker.draining));
        text.line("workers", &[("draining", "true")], count(|worker| worker.draining));
        text.one("workers_busy", "gauge", "Workers that have a job.", count(|worker| worker.job.is_some()));
        text.one("alarms", "gauge", "Jobs of which two workers made different proofs.", alarms.len());
    }
    let streams = app.options.streams - app.streams.available_permits();
    text.one("event_streams", "gauge", "Streams of events that are open.", streams);

    let counted = app.counters.counted();
    let cut_off = "Streams of events that were ended because their client was too slow.";
    text.one("event_streams_cut_off_total", "counter", cut_off, counted.cut_off);
    text.one("jobs_submitted_total", "counter", "Jobs that were queued for the first time.", counted.submitted);
    text.head("jobs_finished_total", "counter", "Jobs whose state became final, by state.");
    for state in crate::State::ALL.into_iter().filter(|state| state.is_final()) {
        let count = counted.finished.get(state.name()).copied().unwrap_or_default();
        text.line("jobs_finished_total", &[("state", state.name())], count);
    }
    text.head(
        "proving_seconds",
        "histogram",
        "Seconds from the beginning of the last attempt until the proof was there.",
    );
    for (bound, within) in BOUNDS.iter().zip(counted.within) {
        text.line("proving_seconds_bucket", &[("le", &bound.to_string())], within);
    }
    text.line("proving_seconds_bucket", &[("le", "+Inf")], counted.proofs);
    text.line("proving_seconds_sum", &[], counted.seconds);
    text.line("proving_seconds_count", &[], counted.proofs);
    text.head("http_requests_total", "counter", "Requests that were answered, by method, route and status.");
    for ((method, route, status), count) in &counted.requests {
        let labels = [("method", *method), ("route", route), ("status", &status.to_string())];
        text.line("http_requests_total", &labels, count);
    }
    drop(counted);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text.0).into_response()
}

/// Metrics, each behind `polystark_farm_`. Labels are words of the farm's own, in which nothing needs an escape.
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP polystark_farm_{name} {help}\n# TYPE polystark_farm_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "polystark_farm_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.line(name, &[], value);
    }
}
