//! A server for a test, and the bytes on the wire.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use farm::http::{Farm, HttpOptions};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::memory::Memory;

/// A server of a farm, which is in memory by default; it stops with this value.
pub(crate) struct Server<F = Memory> {
    pub(crate) farm: Arc<F>,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: Option<tokio::task::JoinHandle<farm::Result<()>>>,
    runtime: Runtime,
}

impl Server {
    pub(crate) fn start(options: HttpOptions) -> Self {
        let server = Self::of(Arc::new(Memory::new()), options);
        wait("the server watches the farm", || server.farm.is_watched());
        server
    }
}

impl<F> Server<F> {
    pub(crate) fn of(farm: Arc<F>, options: HttpOptions) -> Self
    where
        F: Farm,
    {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = farm::http::serve(listener, farm.clone(), options, async { drop(stopped.await) });
        let served = runtime.spawn(serving);
        Self { farm, address, stop: Some(stop), served: Some(served), runtime }
    }

    /// Stops it, within a time.
    pub(crate) fn stop(&mut self) {
        let (Some(stop), Some(served)) = (self.stop.take(), self.served.take()) else { return };
        let _ = stop.send(());
        let served = self.runtime.block_on(async { tokio::time::timeout(Duration::from_secs(4), served).await });
        served.expect("the server stops").unwrap().unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    /// The answer to a request. The lines are headers, each with its end.
    pub(crate) fn ask(&self, method: &str, path: &str, lines: &str, body: &[u8]) -> Reply {
        let mut stream = self.connect();
        let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{length}{lines}\r\n", self.address);
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a body need not read it.
        let _ = stream.write_all(body);
        Reply::read(stream)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, "", b"")
    }

    pub(crate) fn submit(&self, body: &str) -> Reply {
        self.ask("POST", "/v1/jobs", "content-type: application/json\r\n", body.as_bytes())
    }

    /// A stream of events, once its head is there.
    pub(crate) fn events(&self, path: &str, lines: &str) -> Events {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n{lines}\r\n").unwrap();
        let mut events = Events(BufReader::new(stream));
        let head = events.block();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("content-type: text/event-stream"), "{head}");
        assert!(events.block().ends_with("retry: 2000\n"));
        events
    }
}

impl<F> Drop for Server<F> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop();
        }
    }
}

/// Waits for something that comes soon.
pub(crate) fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// All that comes until the connection ends.
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut all = Vec::new();
        // A connection that is closed with something unread ends with an error, behind the answer.
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {all:?}"));
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        let status = head[9..12].parse().unwrap();
        Self { status, head, body: all[end + 4..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The kind of problem, and its text.
    pub(crate) fn problem(&self) -> (u16, String, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        assert!(problem["title"].as_str().unwrap().len() > 5 && problem["advice"].as_str().unwrap().len() > 5);
        let kind = problem["type"].as_str().unwrap().strip_prefix("urn:polystark:farm:").unwrap();
        (self.status, kind.to_owned(), problem["detail"].as_str().unwrap().to_owned())
    }
}

/// Events as they come.
pub(crate) struct Events(pub(crate) BufReader<TcpStream>);

impl Events {
    /// Lines until an empty one; the sizes of chunks are lines among them.
    fn block(&mut self) -> String {
        let mut block = String::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                return block;
            }
            block += &line;
        }
    }

    /// Id, kind and data of the next event; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<(String, String, Value)> {
        let (mut id, mut kind, mut data) = (None, None, None);
        loop {
            let mut line = String::new();
            let read = self.0.read_line(&mut line).unwrap();
            let line = line.trim_end();
            match line.split_once(": ") {
                Some(("id", text)) => id = Some(text.to_owned()),
                Some(("event", text)) => kind = Some(text.to_owned()),
                Some(("data", text)) => data = Some(serde_json::from_str(text).unwrap()),
                _ if line == "0" || read == 0 => return None,
                _ => {}
            }
            if data.is_some() {
                return Some((id.take()?, kind.take()?, data.take()?));
            }
        }
    }

    /// The next event, which is a status: its id and the state.
    pub(crate) fn state(&mut self) -> (String, String) {
        let (id, kind, data) = self.next().expect("an event");
        assert_eq!(kind, "status");
        (id, data["state"].as_str().unwrap().to_owned())
    }
}
