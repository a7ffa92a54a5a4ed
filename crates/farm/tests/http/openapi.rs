//! The description of the API agrees with the API.

use std::collections::BTreeSet;

use farm::http::HttpOptions;
use farm::{Digest, Job, Priority, ProofConflict, State, Submission, Worker};
use serde_json::{Value, json};

use super::memory::{MOMENT, done, job, queued, running};
use super::wire::Server;

fn description() -> Value {
    serde_json::from_str(farm::http::OPENAPI).unwrap()
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn each_path_has_the_methods_that_are_described() {
    let server = Server::start(HttpOptions::default());
    let description = description();
    assert_eq!(server.get("/openapi.json").json(), description);
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "delete", "patch"] {
            let there = path.replace("{name}", &job(1).name().to_string());
            if path == "/v1/events" && method == "get" {
                continue;
            }
            let status = server.ask(&method.to_uppercase(), &there, "", b"").status;
            assert_eq!(status != 405, methods.get(method).is_some(), "{method} {path}: {status}");
            if status < 500 && status != 405 {
                let described = &methods[method]["responses"];
                assert!(described.get(status.to_string()).is_some(), "{method} {path} answers {status}");
            }
        }
    }
}

#[test]
fn each_field_is_described_and_the_other_way_round() {
    let description = description();
    let schema = |name: &str| description["components"]["schemas"][name].clone();
    let status = done(&running(&queued(job(1), Priority::Low), "w"), b"proof");
    let worker = Worker {
        name: "w".into(),
        device: "cpu".into(),
        room: None,
        job: None,
        done: 0,
        failed: 0,
        begun: MOMENT,
        seen: MOMENT,
        draining: false,
        waits: None,
    };
    let (first_proof, second_proof) = (Digest::of(b"a"), Digest::of(b"b"));
    let alarm = ProofConflict {
        job: status.name,
        first: "w".into(),
        first_proof,
        second: "v".into(),
        second_proof,
        at: MOMENT,
    };
    let whole = Job { inputs: [("program".to_owned(), Digest::of(b""))].into(), ..job(1) };
    let submission = Submission { job: whole.clone(), priority: Priority::Low, deadline: Some(MOMENT) };
    let server = Server::start(HttpOptions::default());
    server.farm.put(status.clone());
    let cases = [
        ("Status", json!(status)),
        ("Worker", json!(worker)),
        ("Submission", json!(submission)),
        ("Job", json!(whole)),
        ("Alarm", json!(alarm)),
        ("Problem", server.get("/nowhere").json()),
        ("Jobs", server.get("/v1/jobs").json()),
        ("Summary", server.get("/v1/summary").json()),
        ("Stored", server.ask("PUT", "/v1/inputs", "", b"x").json()),
    ];
    for (name, value) in &cases {
        assert_eq!(keys(&schema(name)["properties"]), keys(value), "{name}");
        // A field is required exactly if every value has it.
        let required: BTreeSet<String> = serde_json::from_value(schema(name)["required"].clone()).unwrap();
        let optional = match *name {
            "Submission" => ["priority", "deadline"].as_slice(),
            "Job" => &["inputs"],
            _ => &[],
        };
        let found = keys(value).into_iter().filter(|key| !optional.contains(key)).map(str::to_owned).collect();
        assert_eq!(required, found, "{name}");
    }
    // The farm accepts values without the optional fields.
    serde_json::from_value::<Submission>(json!({"job": {"kind": "circle", "words": {}}})).unwrap();
    let names = |name: &str| -> Vec<String> { serde_json::from_value(schema(name)["enum"].clone()).unwrap() };
    assert_eq!(names("State"), State::ALL.map(State::name));
    assert_eq!(names("Priority"), Priority::ALL.map(Priority::name));
    let summary = server.get("/v1/summary").json();
    assert_eq!(keys(&summary["jobs"]), State::ALL.map(State::name).into());
    assert_eq!(keys(&schema("Summary")["properties"]["throughput"]["properties"]), keys(&summary["throughput"]));
}
