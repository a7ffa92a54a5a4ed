//! Spans and events: to standard error as `RUST_LOG` says, and to a file for Chrome's trace viewer.

use std::io;
use std::path::Path;

use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::exit::Failure;
use super::outputs;

/// What `-vv` asks for.
const VERBOSE: &str = "debug";

/// Starts what was asked for, by `RUST_LOG` or else by `-vv`. The trace is complete when the guard is dropped.
pub(crate) fn start(trace: Option<&Path>, is_verbose: bool) -> Result<Option<FlushGuard>, Failure> {
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
    let (chrome, guard) = match trace {
        None => (None, None),
        Some(path) => {
            let file = outputs::stream(path)?;
            let (layer, guard) = ChromeLayerBuilder::new().writer(file).include_args(true).build();
            (Some(layer.with_filter(LevelFilter::TRACE)), Some(guard))
        }
    };
    if log.is_some() || chrome.is_some() {
        tracing_subscriber::registry()
            .with(log)
            .with(chrome)
            .try_init()
            .map_err(|error| Failure::usage(format!("tracing: {error}")))?;
    }
    Ok(guard)
}
