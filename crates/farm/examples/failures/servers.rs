//! Servers of NATS on loopback.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server; it is killed when it is dropped.
pub(crate) struct Server {
    nats: PathBuf,
    config: PathBuf,
    child: Option<Child>,
    pub(crate) port: u16,
}

/// A port that nobody has, below the ones that systems give to connections: it stays free until a server takes it, and
/// while one is away.
fn free_port() -> Result<u16, String> {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    for _ in 0..1000 {
        let next = TRIED.fetch_add(1, Ordering::Relaxed).wrapping_add(std::process::id().wrapping_mul(41));
        let port = 20_000 + (next % 12_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("there is no free port".into())
}

impl Server {
    fn start(&mut self) -> Result<(), String> {
        let log = self.config.with_extension("log");
        let child = Command::new(&self.nats)
            .arg("-c")
            .arg(&self.config)
            .arg("-l")
            .arg(log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.nats.display()))?;
        self.child = Some(child);
        Ok(())
    }

    /// Kills it as a failure of power would, its disk aside.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended.
            drop(child.kill());
            drop(child.wait());
        }
    }

    /// Starts it again with the data on its disk.
    pub(crate) fn restart(&mut self) -> Result<(), String> {
        self.kill();
        self.start()
    }

    /// The number of its process, if it runs.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts `many` servers, a cluster if there are several, with these lines in the block of JetStream and outside of it.
pub(crate) fn start(
    nats: &Path,
    folder: &Path,
    many: usize,
    jetstream: &str,
    more: &str,
) -> Result<Vec<Server>, String> {
    let ports = (0..2 * many).map(|_| free_port()).collect::<Result<Vec<_>, _>>()?;
    let (ports, routes) = ports.split_at(many);
    let all: Vec<String> = routes.iter().map(|port| format!("\"nats://127.0.0.1:{port}\"")).collect();
    (0..many)
        .map(|i| {
            let store = folder.join(format!("store-{i}"));
            let cluster = if many == 1 {
                String::new()
            } else {
                format!("cluster {{ name: c, listen: \"127.0.0.1:{}\", routes: [{}] }}", routes[i], all.join(", "))
            };
            let text = format!(
                "server_name: s{i}\nlisten: \"127.0.0.1:{}\"\njetstream {{ store_dir: \"{}\"\n{jetstream} }}\n{cluster}\n{more}\n",
                ports[i],
                store.display(),
            );
            let config = folder.join(format!("server-{i}.conf"));
            std::fs::write(&config, text).map_err(|error| error.to_string())?;
            let mut server = Server { nats: nats.into(), config, child: None, port: ports[i] };
            server.start()?;
            Ok(server)
        })
        .collect()
}
