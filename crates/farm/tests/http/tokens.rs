//! Tokens and their rights.

use farm::http::{HttpOptions, Tokens};
use tokio::net::TcpListener;

use super::wire::Server;

pub(crate) fn with_tokens() -> HttpOptions {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, "reader-reader-reader read\nwriter-writer-writer\n").unwrap();
    HttpOptions { tokens: Tokens::read(&file).unwrap(), ..HttpOptions::default() }
}

#[test]
fn a_token_opens_what_its_role_says_and_nothing_opens_without_one() {
    let server = Server::start(with_tokens());
    let kind = |method: &str, path: &str, token: &str| {
        let line = if token.is_empty() { String::new() } else { format!("authorization: {token}\r\n") };
        let reply = server.ask(method, path, &line, b"");
        if reply.status < 400 { "fine".to_owned() } else { reply.problem().1 }
    };
    let job = format!("/v1/jobs/{}", super::memory::job(1).name());
    for (method, path, bare, reader) in [
        ("GET", "/v1/jobs", "no-token", "fine"),
        ("HEAD", "/v1/jobs", "", "fine"),
        ("GET", "/metrics", "no-token", "fine"),
        ("GET", "/v1/events", "no-token", ""),
        ("GET", job.as_str(), "no-token", "unknown-job"),
        ("POST", "/v1/jobs", "no-token", "not-allowed"),
        ("DELETE", job.as_str(), "no-token", "not-allowed"),
        ("PUT", "/v1/inputs", "no-token", "not-allowed"),
        ("GET", "/nowhere", "no-token", "no-such-route"),
        ("GET", "/", "fine", "fine"),
        ("GET", "/healthz", "fine", "fine"),
        ("GET", "/readyz", "fine", "fine"),
        ("GET", "/openapi.json", "fine", "fine"),
    ] {
        if !bare.is_empty() {
            assert_eq!(kind(method, path, ""), bare, "{method} {path}");
        }
        if !reader.is_empty() {
            assert_eq!(kind(method, path, "Bearer reader-reader-reader"), reader, "{method} {path}");
        }
    }
    for wrong in ["Bearer reader-reader-readex", "Bearer reader", "Basic reader-reader-reader", "Bearer", "Bearer "] {
        assert_eq!(kind("GET", "/v1/jobs", wrong), "no-token", "{wrong}");
    }
    let refused = server.get("/v1/jobs");
    assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"));
    let body = br#"{"job": {"kind": "circle", "words": {}}}"#;
    let lines = "authorization: bearer writer-writer-writer\r\ncontent-type: application/json\r\n";
    assert_eq!(server.ask("POST", "/v1/jobs", lines, body).status, 202);
}

#[test]
fn without_tokens_only_this_machine_may_ask_and_by_its_own_name() {
    let server = Server::start(HttpOptions::default());
    let host = |host: &str| {
        let mut stream = server.connect();
        std::io::Write::write_all(
            &mut stream,
            format!("GET /v1/jobs HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes(),
        )
        .unwrap();
        super::wire::Reply::read(stream).status
    };
    let own = ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:9"].map(host);
    assert_eq!(own, [200; 4]);
    let others = ["farm.example", "localhost.farm.example", "10.0.0.1", "", "127.0.0.1.farm.example:80"].map(host);
    assert_eq!(others, [421; 5]);

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = |options| {
        runtime.block_on(async {
            let everywhere = TcpListener::bind("0.0.0.0:0").await.unwrap();
            farm::http::serve(everywhere, server.farm.clone(), options, std::future::ready(())).await
        })
    };
    let error = served(HttpOptions::default()).unwrap_err().to_string();
    assert!(error.contains("could submit and cancel") && error.contains("0.0.0.0"), "{error}");
    served(HttpOptions { anyone: true, ..HttpOptions::default() }).unwrap();
    served(with_tokens()).unwrap();
}
