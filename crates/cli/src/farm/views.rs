//! Jobs, workers and alarms in lines.

use std::time::Duration;

use farm::{Error, ProofConflict, State, Status, Worker, now};

use crate::protocol::Rows;
use sdk::hal::Bytes;

/// How long ago a moment was.
fn ago(moment: u64) -> String {
    format!("{:.1} s ago", Duration::from_millis(now().saturating_sub(moment)).as_secs_f64())
}

/// The subject of a job, in a line.
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
        ("printed", status.printed.as_deref().map(|text| text.trim_end().to_owned())),
        ("proof", status.proof.map(|digest| digest.to_string())),
        ("proof's length", status.proof_bytes.map(|bytes| Bytes(bytes).to_string())),
    ];
    rows.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
    rows
}

fn seconds(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1000.0
}

/// Whether a job waits for memory that none of these workers has.
fn is_homeless(status: &Status, workers: &[Worker]) -> bool {
    let fits = |worker: &Worker| worker.room.is_none_or(|room| status.bytes <= room);
    status.state == State::Queued && !workers.iter().any(fits)
}

/// A job in a line, among these workers.
pub(super) fn job_line(status: &Status, workers: &[Worker]) -> String {
    let waits = match workers {
        _ if !is_homeless(status, workers) => String::new(),
        [] => "  NO WORKER".to_owned(),
        _ => format!("  NO WORKER HAS {}", Bytes(status.bytes)),
    };
    let error = status.error.as_ref().map(|error| format!("  {error}")).unwrap_or_default();
    format!(
        "{}  {:<9}  {:<6}  {} {}{waits}{error}\n",
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
pub(super) fn alarm_line(alarm: &ProofConflict) -> String {
    let error = Error::Differ { name: alarm.job, first: alarm.first.clone(), second: alarm.second.clone() };
    format!("{error}: {} and {}, {}\n", alarm.first_proof, alarm.second_proof, ago(alarm.at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_fits_no_worker_says_so() {
        let worker = |room| Worker {
            name: "w".to_owned(),
            device: "cpu".to_owned(),
            room,
            job: None,
            done: 0,
            failed: 0,
            begun: 0,
            seen: 0,
            draining: false,
            waits: None,
        };
        let status: Status = serde_json::from_value(serde_json::json!({
            "name": "0".repeat(64), "job": {"kind": "circle", "words": {}}, "priority": "normal", "deadline": null,
            "state": "queued", "bytes": 1 << 30, "attempts": 0, "worker": null, "phase": null, "share": 0.0,
            "submitted": 0, "begun": null, "ended": null, "phases": [], "error": null, "proof": null,
            "proof_bytes": null
        }))
        .unwrap();
        let line = |workers: &[Worker]| job_line(&status, workers);
        assert!(line(&[worker(Some(1 << 29))]).contains("NO WORKER HAS 1"), "{}", line(&[worker(Some(1 << 29))]));
        assert!(line(&[]).contains("NO WORKER"));
        for fits in [worker(Some(1 << 30)), worker(None)] {
            assert!(!line(&[worker(Some(1)), fits]).contains("NO WORKER"));
        }
        let running = Status { state: State::Running, ..status.clone() };
        assert!(!job_line(&running, &[]).contains("NO WORKER"));
    }
}
