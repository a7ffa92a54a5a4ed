//! Jobs, workers and alarms in lines.

use std::time::Duration;

use farm::{Alarm, Error, Status, Worker, now};

use crate::cli::protocol::Rows;
use crate::hal::Bytes;

/// How long ago a moment was.
fn ago(moment: u64) -> String {
    format!("{:.1} s ago", Duration::from_millis(now().saturating_sub(moment)).as_secs_f64())
}

/// What a job is about, in a line.
fn about(status: &Status) -> String {
    let inputs = status.job.inputs.iter().map(|(role, digest)| format!("{role} {:.12}", digest.to_string()));
    let words = status.job.words.iter().map(|(word, value)| format!("{word}={value}"));
    inputs.chain(words).collect::<Vec<_>>().join(" ")
}

/// All about a job.
pub(super) fn job_rows(status: &Status) -> Rows {
    let mut rows = vec![
        ("job", status.name.to_string()),
        ("state", status.state.to_string()),
        ("kind", status.job.kind.clone()),
        ("about", about(status)),
        ("priority", status.priority.name().to_owned()),
        ("device memory", format!("{} planned", Bytes(status.bytes))),
        ("submitted", ago(status.submitted)),
        ("attempts", status.attempts.to_string()),
    ];
    let optional = [
        ("worker", status.worker.clone()),
        ("phase", status.phase.as_ref().map(|phase| format!("{phase}, {:.0} %", 100.0 * status.share))),
        ("begun", status.begun.map(ago)),
        ("took", status.begun.zip(status.ended).map(|(begun, ended)| format!("{:.3} s", seconds(begun, ended)))),
        ("error", status.error.clone()),
        ("proof", status.proof.map(|digest| digest.to_string())),
        ("proof's length", status.proof_bytes.map(|bytes| Bytes(bytes).to_string())),
    ];
    rows.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
    rows
}

fn seconds(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1000.0
}

/// A job in a line.
pub(super) fn job_line(status: &Status) -> String {
    let error = status.error.as_ref().map(|error| format!("  {error}")).unwrap_or_default();
    format!(
        "{}  {:<9}  {:<6}  {} {}{error}\n",
        status.name,
        status.state.name(),
        status.priority.name(),
        status.job.kind,
        about(status)
    )
}

/// A worker in a line.
pub(super) fn worker_line(worker: &Worker) -> String {
    let doing = match (&worker.job, worker.draining) {
        (Some(job), _) => format!("proves {job}"),
        (None, true) => "ends".to_owned(),
        (None, false) => "waits".to_owned(),
    };
    let waits = worker.waits.as_ref().map(|what| format!("  WAITS {what}")).unwrap_or_default();
    let room = worker.room.map_or_else(|| "unknown memory".to_owned(), |room| Bytes(room).to_string());
    format!(
        "worker {}  {}  {room}  {} done, {} failed  heard of {}  {doing}{waits}\n",
        worker.name,
        worker.device,
        worker.done,
        worker.failed,
        ago(worker.seen)
    )
}

/// An alarm in a line.
pub(super) fn alarm_line(alarm: &Alarm) -> String {
    let error = Error::Differ { name: alarm.job, first: alarm.first.clone(), second: alarm.second.clone() };
    format!("{error}: {} and {}, {}\n", alarm.first_proof, alarm.second_proof, ago(alarm.at))
}
