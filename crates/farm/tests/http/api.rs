//! The effect of each route, and its answers to wrong requests.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use farm::http::HttpOptions;
use farm::{Digest, Priority, ProofConflict, Worker};
use serde_json::json;

use super::memory::{MOMENT, done, job, queued, running};
use super::wire::Server;

const SUBMISSION: &str =
    r#"{"job": {"kind": "circle", "words": {"air": "fibonacci", "rows": "64"}}, "priority": "high"}"#;

#[test]
fn a_job_from_its_submission_to_its_proof() {
    let server = Server::start(HttpOptions::default());
    let (name, proof) = (job(64).name(), b"a proof, byte for byte".as_slice());
    let at = format!("/v1/jobs/{name}");

    let first = server.submit(SUBMISSION);
    assert_eq!((first.status, first.header("location")), (202, Some(at.as_str())));
    assert_eq!(first.json(), serde_json::to_value(queued(job(64), Priority::High)).unwrap());
    let again = server.submit(SUBMISSION);
    assert_eq!((again.status, again.header("location"), again.json()), (200, Some(at.as_str()), first.json()));

    let early = server.get(&format!("{at}/proof")).problem();
    assert_eq!((early.0, early.1.as_str()), (409, "wrong-state"));
    assert!(early.2.contains(&name.to_string()) && early.2.contains("queued"), "{}", early.2);

    let status = done(&running(&queued(job(64), Priority::High), "w"), proof);
    server.farm.put(status.clone());
    server.farm.proofs.lock().unwrap().insert(name, Bytes::from_static(proof));
    assert_eq!(server.get(&at).json(), serde_json::to_value(status).unwrap());
    let got = server.get(&format!("{at}/proof"));
    let tag = format!("\"{}\"", Digest::of(proof));
    assert_eq!((got.status, got.header("etag"), got.body.as_slice()), (200, Some(tag.as_str()), proof));
    assert_eq!(got.header("content-length"), Some("22"));
    let known = server.ask("GET", &format!("{at}/proof"), &format!("if-none-match: \"x\", {tag}\r\n"), b"");
    assert_eq!((known.status, known.body.len()), (304, 0));
    assert_eq!(server.ask("DELETE", &at, "", b"").problem().1, "wrong-state");
}

#[test]
fn lists_counts_and_metrics_agree_with_the_farm() {
    let server = Server::start(HttpOptions::default());
    let mut names: Vec<_> = (1..=5).map(|rows| job(rows).name()).collect();
    for rows in 1..=5 {
        server.farm.put(queued(job(rows), if rows < 3 { Priority::Low } else { Priority::High }));
    }
    server.farm.put(running(&queued(job(4), Priority::High), "w"));
    server.farm.put(done(&running(&queued(job(5), Priority::High), "w"), b"proof"));
    // The same again, as after a watch that was lost: it counts once.
    server.farm.put(done(&running(&queued(job(5), Priority::High), "w"), b"proof"));
    assert_eq!(server.ask("DELETE", &format!("/v1/jobs/{}", job(1).name()), "", b"").json()["state"], "cancelled");

    names.sort();
    let of = |path: &str| -> (Vec<String>, serde_json::Value) {
        let page = server.get(path).json();
        let jobs = page["jobs"].as_array().unwrap();
        (jobs.iter().map(|job| job["name"].as_str().unwrap().to_owned()).collect(), page["after"].clone())
    };
    let text: Vec<String> = names.iter().map(ToString::to_string).collect();
    assert_eq!(of("/v1/jobs"), (text.clone(), json!(null)));
    assert_eq!(of("/v1/jobs?limit=3"), (text[..3].to_vec(), json!(text[2])));
    assert_eq!(of(&format!("/v1/jobs?limit=3&after={}", text[2])), (text[3..].to_vec(), json!(null)));
    assert_eq!(of("/v1/jobs?state=running").0, [job(4).name().to_string()]);

    let worker = Worker {
        name: "w".into(),
        device: "cuda:0 NVIDIA H200".into(),
        room: Some(1 << 37),
        job: Some(job(4).name()),
        done: 1,
        failed: 0,
        begun: MOMENT,
        seen: MOMENT + 5,
        draining: false,
        waits: None,
    };
    let (first_proof, second_proof) = (Digest::of(b"a"), Digest::of(b"b"));
    let (first, second) = ("w".to_owned(), "v".to_owned());
    let alarm = ProofConflict { job: job(5).name(), first, first_proof, second, second_proof, at: MOMENT };
    *server.farm.workers.lock().unwrap() = vec![worker.clone()];
    *server.farm.alarms.lock().unwrap() = vec![alarm.clone()];
    assert_eq!(server.get("/v1/workers").json(), json!([worker]));
    assert_eq!(server.get("/v1/alarms").json(), json!([alarm]));

    // Events are counted as they come.
    super::wire::wait("all changes are counted", || {
        server.get("/metrics").text().contains("jobs_finished_total{state=\"cancelled\"} 1\n")
    });
    let summary = server.get("/v1/summary").json();
    assert_eq!(summary["jobs"]["queued"], 2);
    assert_eq!(summary["queue"], json!({"high": 1, "normal": 0, "low": 1}));
    let sum =
        |what: &str| -> u64 { summary["throughput"][what].as_array().unwrap().iter().filter_map(|n| n.as_u64()).sum() };
    assert_eq!((sum("done"), sum("ended")), (1, 1));
    let metrics = server.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "up 1",
        "jobs{state=\"queued\"} 2",
        "jobs{state=\"set-aside\"} 0",
        "queue_depth{priority=\"low\"} 1",
        "jobs_submitted_total 5",
        "jobs_finished_total{state=\"done\"} 1",
        "proving_seconds_bucket{le=\"1\"} 0",
        "proving_seconds_bucket{le=\"3\"} 1",
        "proving_seconds_bucket{le=\"+Inf\"} 1",
        "proving_seconds_sum 2.5",
        "proving_seconds_count 1",
        "workers{draining=\"false\"} 1",
        "workers_busy 1",
        "alarms 1",
        "event_streams 0",
        "http_requests_total{method=\"GET\",route=\"/v1/jobs\",status=\"200\"} 4",
        "http_requests_total{method=\"DELETE\",route=\"/v1/jobs/{name}\",status=\"200\"} 1",
    ] {
        assert!(metrics.text().contains(&format!("\npolystark_farm_{line}\n")), "{line} not in\n{}", metrics.text());
    }

    server.farm.is_down.store(true, Ordering::Relaxed);
    let ready = server.get("/readyz");
    assert_eq!((ready.problem().1.as_str(), ready.header("retry-after")), ("servers", Some("5")));
    assert_eq!(server.get("/healthz").text(), "alive\n");
    let metrics = server.get("/metrics");
    assert!(metrics.text().contains("\npolystark_farm_up 0\n") && !metrics.text().contains("farm_jobs{"));
    server.farm.is_down.store(false, Ordering::Relaxed);
    assert_eq!(server.get("/readyz").text(), "ready\n");
}

#[test]
fn a_job_is_found_by_digits_that_it_alone_begins_with_in_either_case() {
    let server = Server::start(HttpOptions::default());
    // Among this many jobs two begin with the same four digits.
    let (mut names, mut same) = (std::collections::BTreeMap::new(), None);
    for rows in 1..10_000 {
        let name = job(rows).name();
        if let Some(other) = names.insert(name.to_string()[..4].to_owned(), rows) {
            same = Some((other, rows));
            break;
        }
    }
    let (one, other) = same.expect("there are 65536 beginnings");
    for rows in [one, other] {
        server.farm.put(queued(job(rows), Priority::Normal));
    }
    let [one, other] = [one, other].map(|rows| job(rows).name().to_string());
    let short = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count() + 1;
    for (at, called) in [&one[..], &one[..short], &one.to_uppercase(), &one[..short].to_uppercase()].iter().enumerate()
    {
        let at = format!("{at} {called}");
        assert_eq!(server.get(&format!("/v1/jobs/{called}")).json()["name"], one.as_str(), "{at}");
        assert_eq!(server.get(&format!("/v1/jobs/{called}/proof")).problem().0, 409, "{at}");
        assert!(server.events(&format!("/v1/jobs/{called}/events"), "").state().1 == "queued", "{at}");
    }
    let (status, kind, detail) = server.get(&format!("/v1/jobs/{}", &one[..4])).problem();
    assert_eq!((status, kind.as_str()), (409, "ambiguous-name"), "{detail}");
    assert!(detail.contains(&one) && detail.contains(&other), "{detail}");
    // Nothing is cancelled by a name that is not clear.
    assert_eq!(server.ask("DELETE", &format!("/v1/jobs/{}", &one[..4]), "", b"").status, 409);
    let cancelled = server.ask("DELETE", &format!("/v1/jobs/{}", other[..short].to_uppercase()), "", b"");
    assert_eq!(cancelled.json()["name"], other.as_str());
    assert_eq!(server.get(&format!("/v1/jobs/{one}")).json()["state"], "queued");
}

#[test]
fn an_input_is_stored_by_its_digest() {
    let server = Server::start(HttpOptions::default());
    let stored = server.ask("PUT", "/v1/inputs", "", b"an input");
    assert_eq!(stored.json(), json!({"digest": Digest::of(b"an input"), "bytes": 8}));
}

#[test]
fn a_wrong_request_has_a_problem_that_names_it() {
    let server = Server::start(HttpOptions::default());
    let unknown = format!("/v1/jobs/{}", job(7).name());
    let body = |text: &str| text.as_bytes().to_vec();
    let typed = "content-type: application/json\r\n";
    let cases = [
        ("GET", "/nowhere", "", body(""), 404, "no-such-route", "/nowhere"),
        ("PATCH", "/v1/jobs", "", body(""), 405, "no-such-method", "PATCH /v1/jobs"),
        ("GET", "/v1/jobs/abc", "", body(""), 400, "bad-request", "`abc` is no job's name"),
        ("GET", "/v1/jobs/abcg", "", body(""), 400, "bad-request", "`abcg` is no job's name"),
        ("GET", "/v1/jobs/0123", "", body(""), 404, "unknown-job", "no job's name begins with 0123"),
        ("DELETE", "/v1/jobs/0123", "", body(""), 404, "unknown-job", "begins with 0123"),
        ("GET", "/v1/jobs/%ff", "", body(""), 400, "bad-request", "in the path"),
        ("GET", "/v1/jobs?state=idle", "", body(""), 400, "bad-request", "unknown variant `idle`"),
        ("GET", "/v1/jobs?limit=0", "", body(""), 400, "bad-request", "limit is 0, not 1 to 1000"),
        ("GET", "/v1/jobs?limit=1001", "", body(""), 400, "bad-request", "limit is 1001"),
        ("GET", "/v1/jobs?after=x", "", body(""), 400, "bad-request", "`x` is not 64"),
        ("GET", "/v1/jobs?since=1", "", body(""), 400, "bad-request", "unknown field `since`"),
        ("GET", "/v1/events?job=1", "", body(""), 400, "bad-request", "unknown field `job`"),
        ("GET", &unknown, "", body(""), 404, "unknown-job", &job(7).name().to_string()),
        ("GET", &format!("{unknown}/proof"), "", body(""), 404, "unknown-job", "no job"),
        ("GET", &format!("{unknown}/events"), "", body(""), 404, "unknown-job", "no job"),
        ("DELETE", &unknown, "", body(""), 404, "unknown-job", "no job"),
        ("POST", "/v1/jobs", "", body(SUBMISSION), 415, "wrong-media-type", "Content-Type is ``"),
        ("POST", "/v1/jobs", "content-type: text/plain\r\n", body(SUBMISSION), 415, "wrong-media-type", "text/plain"),
        ("POST", "/v1/jobs", typed, body("{\n \"job\": 1}"), 400, "bad-request", "line 2 column 9"),
        ("POST", "/v1/jobs", typed, body(SUBMISSION.strip_suffix('}').unwrap()), 400, "bad-request", "EOF"),
        ("POST", "/v1/jobs", typed, body(&format!("{SUBMISSION}x")), 400, "bad-request", "trailing characters"),
        (
            "POST",
            "/v1/jobs",
            typed,
            body(&SUBMISSION.replace("priority", "prio")),
            400,
            "bad-request",
            "unknown field `prio`",
        ),
        (
            "POST",
            "/v1/jobs",
            typed,
            body(&SUBMISSION.replace("circle", "square")),
            400,
            "job-refused",
            "no kind `square`",
        ),
    ];
    for (method, path, lines, body, status, kind, detail) in cases {
        let reply = server.ask(method, path, lines, &body);
        let (found, name, text) = reply.problem();
        assert_eq!((found, name.as_str()), (status, kind), "{method} {path}: {text}");
        assert!(text.contains(detail), "{method} {path}: {text}");
    }
    assert_eq!(server.ask("PATCH", "/v1/jobs", "", b"").header("allow"), Some("GET,HEAD,POST"));
}

#[test]
fn every_answer_tells_browsers_to_keep_to_themselves() {
    let server = Server::start(HttpOptions::default());
    for path in ["/", "/page.js", "/v1/jobs", "/nowhere"] {
        let reply = server.get(path);
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(reply.header("content-security-policy").unwrap().starts_with("default-src 'none';"), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    assert_eq!(server.get("/").header("content-type"), Some("text/html; charset=utf-8"));
}
