//! Spans and events: to standard error as `RUST_LOG` says, and to a file for Chrome's trace viewer.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::outputs::PartialFile;
use crate::report::exit::Failure;

/// The level that `-vv` asks for.
const VERBOSE: &str = "debug";

/// The file of spans.
pub(crate) struct Spans {
    file: PartialFile,
    /// Writes the rest when it is dropped.
    guard: FlushGuard,
}

impl Spans {
    /// Ends the file, which takes its place.
    pub(crate) fn save(self) -> Result<(), Failure> {
        drop(self.guard);
        self.file.save()
    }
}

/// Starts the requested log, by `RUST_LOG` or else by `-vv`. The spans are kept until they are saved; if they are not
/// saved, nothing is left.
pub(crate) fn start(spans: Option<&Path>, is_verbose: bool) -> Result<Option<Spans>, Failure> {
    let asked = std::env::var("RUST_LOG").ok().filter(|directives| !directives.is_empty());
    let log = match asked.or_else(|| is_verbose.then(|| VERBOSE.to_owned())) {
        Some(directives) => {
            let filter: Targets = directives.parse().map_err(|error| Failure::usage(format!("RUST_LOG: {error}")))?;
            let layer = tracing_subscriber::fmt::layer()
                .with_writer(io::stderr)
                .with_ansi(false)
                .with_span_events(FmtSpan::CLOSE)
                .with_filter(filter);
            Some(layer)
        }
        None => None,
    };
    let (chrome, spans) = match spans {
        None => (None, None),
        Some(path) => {
            check_replaced(path)?;
            let (file, writer) = PartialFile::open(path)?;
            let (layer, guard) = ChromeLayerBuilder::new().writer(writer).include_args(true).build();
            (Some(layer.with_filter(LevelFilter::TRACE)), Some(Spans { file, guard }))
        }
    };
    if log.is_some() || chrome.is_some() {
        tracing_subscriber::registry()
            .with(log)
            .with(chrome)
            .try_init()
            .map_err(|error| Failure::usage(format!("tracing: {error}")))?;
    }
    Ok(spans)
}

/// Bytes of a file by which spans are known.
const START: u64 = 4096;

/// Refuses to replace a file that holds something else than spans: a trace of rows, perhaps.
fn check_replaced(path: &Path) -> Result<(), Failure> {
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.map_err(|error| Failure::file(path, error))?;
    if is_spans(&start) {
        return Ok(());
    }
    let refusal = "this file holds something else than spans, which they would replace: name another file, or remove this one. The trace of \
                   a proof is given by --trace-file";
    Err(Failure::file(path, refusal))
}

/// Whether a file that begins so may be one of spans: a list of events, each with a phase. One that is empty holds
/// nothing.
fn is_spans(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let Some(events) = text.strip_prefix('[') else { return text.is_empty() };
    let events = events.trim_start();
    events.starts_with(']') || (events.starts_with('{') && events.contains("\"ph\":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_known_by_their_first_event() {
        for spans in ["", "[\n\n]", "[\n{\"name\":\"main\",\"ph\":\"M\",\"pid\":1}", "[]"] {
            assert!(is_spans(spans.as_bytes()), "{spans}");
        }
        for other in ["[\"0x1\"]", "[1, 2]", "[{\"a\": 1}]", "{\"ph\": 1}", "text", "\n"] {
            assert!(!is_spans(other.as_bytes()), "{other}");
        }
        assert!(!is_spans(b"\x93NUMPY\x01\x00") && !is_spans(b"\x89PSTK\r\n\x1a"));
    }
}
