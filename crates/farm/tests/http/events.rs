//! Events, and clients that do not read them.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use farm::http::HttpOptions;
use farm::{Priority, Status};

use super::memory::{done, job, queued, running};
use super::wire::{Server, wait};

#[test]
fn a_job_is_followed_to_its_end_and_from_where_a_client_was() {
    let server = Server::start(HttpOptions::default());
    let status = queued(job(1), Priority::Normal);
    server.farm.put(status.clone());
    let path = format!("/v1/jobs/{}/events", status.name);
    let (mut one, mut all) = (server.events(&path, ""), server.events("/v1/events", ""));
    assert_eq!(one.state().1, "queued");
    // Another job's changes reach only followers of all jobs; a status without a change reaches nobody.
    server.farm.put(queued(job(2), Priority::Normal));
    server.farm.put(queued(job(2), Priority::Normal));
    server.farm.put(running(&status, "w"));
    let (_, _, other) = all.next().unwrap();
    assert_eq!(other, serde_json::to_value(queued(job(2), Priority::Normal)).unwrap());
    let (seen, state) = all.state();
    assert_eq!((state.as_str(), one.state().1.as_str()), ("running", "running"));
    drop(all);
    server.farm.put(done(&running(&status, "w"), b"proof"));
    assert_eq!(one.state().1, "done");
    assert!(one.next().is_none(), "there is no more to come");

    // Events that came while the client was away are sent, once.
    let mut all = server.events("/v1/events", &format!("last-event-id: {seen}\r\n"));
    let (last, state) = all.state();
    assert_eq!(state, "done");
    server.farm.put(queued(job(3), Priority::Normal));
    assert_eq!(all.state().1, "queued");
    // An id that this server does not know, or no more.
    for id in ["1-1", "x", &last.replace('-', "0-")] {
        let mut all = server.events("/v1/events", &format!("last-event-id: {id}\r\n"));
        assert_eq!(all.next().unwrap().1, "gap", "{id}");
    }
    assert_eq!(server.ask("GET", &path, &format!("last-event-id: {last}\r\n"), b"").status, 204);
    assert_eq!(server.events(&path, "").state().1, "done");
}

#[test]
fn long_events_are_kept_by_their_bytes() {
    let server = Server::start(HttpOptions { kept_bytes: 10_000, ..HttpOptions::default() });
    let mut all = server.events("/v1/events", "");
    let mut ids = Vec::new();
    for number in 0..10 {
        let mut job = job(number);
        job.words.insert("note".into(), "x".repeat(3000));
        server.farm.put(queued(job, Priority::Normal));
        ids.push(all.state().0);
    }
    // Three of them are kept; a client that comes back behind another one is told of a gap.
    for (id, kind) in [(&ids[0], "gap"), (&ids[5], "gap"), (&ids[7], "status")] {
        let mut back = server.events("/v1/events", &format!("last-event-id: {id}\r\n"));
        assert_eq!(back.next().unwrap().1, kind, "{id}");
    }
}

#[test]
fn a_silent_stream_says_that_it_lives_and_ends_with_the_server() {
    let mut server = Server::start(HttpOptions { alive_time: Duration::from_millis(30), ..HttpOptions::default() });
    let mut events = server.events("/v1/events", "");
    let mut text = [0; 64];
    let mut heard = String::new();
    while heard.matches(": alive\n\n").count() < 3 {
        let count = events.0.read(&mut text).unwrap();
        heard += &String::from_utf8_lossy(&text[..count]);
    }
    server.stop();
    events.0.read_to_string(&mut heard).unwrap();
    assert!(heard.ends_with("0\r\n\r\n"), "{heard}");
}

#[test]
fn a_client_that_does_not_read_is_cut_off_and_holds_up_nobody() {
    const CHANGES: u64 = 40_000;
    let options = HttpOptions { kept_events: 4096, stall_time: Duration::from_millis(300), ..HttpOptions::default() };
    let server = Server::start(options);
    let mut slow = server.connect();
    slow.write_all(b"GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    slow.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    let mut quick = server.events("/v1/events", "");
    let farm = server.farm.clone();
    let reading = std::thread::spawn(move || {
        for expected in 0..CHANGES {
            let (_, kind, data) = quick.next().expect("a client that reads is not cut off");
            assert_eq!((kind.as_str(), data["bytes"].as_u64()), ("status", Some(expected)));
            // So that nobody is quicker than a client that reads.
            READ.store(expected, std::sync::atomic::Ordering::Relaxed);
        }
    });
    static READ: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let status = queued(job(1), Priority::Normal);
    for bytes in 0..CHANGES {
        farm.put(Status { bytes, ..status.clone() });
        if bytes % 1000 == 999 {
            wait("the quick client reads", || READ.load(std::sync::atomic::Ordering::Relaxed) + 2000 > bytes);
        }
    }
    reading.join().unwrap();
    let streams = |count: u64| {
        let metrics = server.get("/metrics");
        metrics.text().contains(&format!("\npolystark_farm_event_streams {count}\n"))
    };
    wait("both streams have ended", || streams(0));
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    let last = format!("\"bytes\":{}", CHANGES - 1);
    assert!(!String::from_utf8_lossy(&rest).contains(&last), "the slow client was sent all");
}
