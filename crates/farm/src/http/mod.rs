//! The farm over HTTP: an API in JSON (`openapi.json` describes it), events, metrics, and a page for people.
//!
//! It speaks HTTP/1.1 without TLS, which is the matter of a reverse proxy before it.

mod app;
mod ask;
mod bytes;
mod connection;
mod counters;
mod events;
mod farm;
mod guard;
mod hub;
mod jobs;
mod metrics;
mod options;
mod page;
mod problem;
mod remote;
mod routes;
mod tokens;

use std::future::Future;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;

pub use connection::stopped;
pub use farm::{Answer, Changes, Counts, Farm, Listed, MOST_LISTED, Submitted};
pub use options::HttpOptions;
pub use page::OPENAPI;
pub use remote::Remote;
pub use tokens::{Role, Tokens};

use crate::{Error, Result};

/// Serves the farm on a listener until `stop` comes; then new requests are refused, streams end, and requests in
/// progress have five seconds.
///
/// # Errors
/// If everybody could ask and no option says that this is meant; if the listener has no address.
pub async fn serve(
    listener: TcpListener,
    farm: Arc<dyn Farm>,
    options: HttpOptions,
    stop: impl Future<Output = ()> + Send,
) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::Options(format!("the HTTP listener: {error}")))?;
    let is_local = options::is_loopback(address);
    options.check(address)?;
    let (stopped, is_stopped) = watch::channel(false);
    let app = Arc::new(app::App::new(farm, options, is_local, is_stopped.clone()));
    let serving = connection::serve(listener, routes::router(&app), &app.options, is_stopped);
    let stopping = async {
        tokio::select! {
            () = stop => {}
            () = app.hub.follow(&*app.farm) => {}
        }
        stopped.send_replace(true);
    };
    tokio::join!(serving, stopping);
    Ok(())
}
