//! Clients that send too much, too slowly or too often.

use std::io::{Read as _, Write as _};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use farm::Priority;
use farm::http::HttpOptions;

use super::memory::{done, job, queued};
use super::wire::{Reply, Server, wait};

#[test]
fn too_large_a_body_is_refused_before_it_is_read() {
    let server = Server::start(HttpOptions { job_bytes: 1000, input_bytes: 5000, ..HttpOptions::default() });
    // It claims to be large, and no byte of it comes.
    let mut stream = server.connect();
    let head =
        "POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1001\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let (status, kind, detail) = Reply::read(stream).problem();
    assert_eq!((status, kind.as_str()), (413, "too-large"));
    assert_eq!(detail, "a submission's bytes is 1001, the farm takes at most 1000");
    // It comes in pieces without a total, and never ends.
    let mut stream = server.connect();
    stream.write_all(b"PUT /v1/inputs HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
    let piece = [b"400\r\n".as_slice(), &[b'x'; 1024], b"\r\n"].concat();
    (0..5).for_each(|_| stream.write_all(&piece).unwrap());
    let (status, kind, detail) = Reply::read(stream).problem();
    assert_eq!((status, kind.as_str()), (413, "too-large"));
    assert!(detail.ends_with("the farm takes at most 5000"), "{detail}");
    assert_eq!(server.ask("PUT", "/v1/inputs", "", &[b'x'; 5000]).status, 200);
}

#[test]
fn whoever_is_slow_is_answered_or_cut_off() {
    let short = Duration::from_millis(150);
    let server = Server::start(HttpOptions {
        head_time: short,
        stall_time: short,
        body_time: Duration::from_millis(300),
        ..HttpOptions::default()
    });
    let since = Instant::now();
    // A head that does not end.
    let mut stream = server.connect();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 2"));
    // A connection that is not used after its first answer.
    let mut stream = server.connect();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    stream.read_to_end(&mut rest).unwrap();
    assert!(String::from_utf8_lossy(&rest).ends_with("alive\n"));
    // A body that pauses.
    let mut stream = server.connect();
    stream.write_all(b"PUT /v1/inputs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\nx").unwrap();
    let (status, kind, detail) = Reply::read(stream).problem();
    assert_eq!((status, kind.as_str()), (408, "slow-request"));
    assert!(detail.contains("came 1 bytes"), "{detail}");
    // A body that never pauses, and takes too long.
    let head =
        "POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n";
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    let mut drops = stream.try_clone().unwrap();
    let dropping = std::thread::spawn(move || {
        while drops.write_all(b" ").is_ok() && since.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(Reply::read(stream).problem().1, "slow-request");
    dropping.join().unwrap();
    assert!(since.elapsed() < Duration::from_secs(9), "{:?}", since.elapsed());
}

#[test]
fn a_proof_that_nobody_reads_holds_its_place_for_a_time_only() {
    let server =
        Server::start(HttpOptions { transfers: 1, stall_time: Duration::from_millis(300), ..HttpOptions::default() });
    let (status, proof) = (queued(job(1), Priority::Normal), Bytes::from(vec![7; 32 << 20]));
    server.farm.put(done(&status, &proof));
    server.farm.proofs.lock().unwrap().insert(status.name, proof);
    let path = format!("/v1/jobs/{}/proof", status.name);
    let mut stream = server.connect();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let busy = server.get(&path);
    assert_eq!((busy.problem().1.as_str(), busy.header("retry-after")), ("busy", Some("1")));
    wait("the place is free", || server.get(&path).status == 200);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.len() < 32 << 20, "it was cut off");
}

#[test]
fn there_are_so_many_connections_and_streams_and_no_more() {
    let server = Server::start(HttpOptions { connections: 3, streams: 1, ..HttpOptions::default() });
    let events = server.events("/v1/events", "");
    assert_eq!(server.get("/v1/events").problem().1, "busy");
    let held = [server.connect(), server.connect()];
    let too_many = Reply::read(server.connect());
    assert_eq!((too_many.status, too_many.header("retry-after")), (503, Some("1")));
    drop(held);
    drop(events);
    // A client that went is noticed by the next word that is sent to it.
    wait("the stream's place is free", || {
        server.farm.put(queued(job(9), Priority::Low));
        server.farm.put(queued(job(9), Priority::High));
        let mut stream = server.connect();
        write!(stream, "GET /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).is_ok() && &first == b"HTTP/1.1 200"
    });
}

#[test]
fn a_full_queue_says_when_to_come_again() {
    let server = Server::start(HttpOptions::default());
    server.farm.is_full.store(true, Ordering::Relaxed);
    let reply = server.submit(r#"{"job": {"kind": "circle", "words": {}}}"#);
    assert_eq!((reply.problem().0, reply.problem().1.as_str()), (429, "queue-full"));
    assert_eq!(reply.header("retry-after"), Some("10"));
}
