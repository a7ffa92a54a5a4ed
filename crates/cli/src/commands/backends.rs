//! `polystark backends`.

use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use crate::command::Command;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};
use sdk::hal::Bytes;
use sdk::{Availability, Registry};

#[derive(Args)]
pub(crate) struct BackendsCommand {
    /// Only these: names, or paths of shared libraries that have a backend, which are run [default: all names]
    #[arg(value_name = "BACKEND")]
    backends: Vec<String>,
}

impl Command for BackendsCommand {
    /// Lists the backends.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        let backends = match &*self.backends {
            [] => registry.available(),
            names => names.iter().map(|name| registry.availability(name)).collect::<Result<_, _>>()?,
        };
        // If a few are named, nobody can tell which one `auto` takes.
        let view = View { backends: views(backends, self.backends.is_empty()) };
        output.result(&view, &text(&view))
    }
}

#[derive(Serialize)]
struct BackendView {
    name: String,
    available: bool,
    /// Whether `auto` takes it.
    preferred: bool,
    reason: Option<String>,
    device: Option<String>,
    /// Names of the devices by number; none if they are not counted.
    devices: Vec<String>,
    operations: Vec<&'static str>,
    hashes: Vec<&'static str>,
    max_log_height: Option<u32>,
    available_memory_bytes: Option<u64>,
}

#[derive(Serialize)]
struct View {
    backends: Vec<BackendView>,
}

/// The description of each; `are_all` if `auto` has no other choice.
fn views(backends: Vec<Availability>, are_all: bool) -> Vec<BackendView> {
    let preferred = backends.iter().position(|backend| are_all && backend.is_automatic && backend.state.is_ok());
    backends.into_iter().enumerate().map(|(index, backend)| view(backend, Some(index) == preferred)).collect()
}

fn view(backend: Availability, preferred: bool) -> BackendView {
    let (capabilities, reason) = match backend.state {
        Ok((capabilities, _)) => (Some(capabilities), None),
        Err(reason) => (None, Some(reason)),
    };
    let of = capabilities.as_ref();
    BackendView {
        name: backend.name,
        available: of.is_some(),
        preferred,
        reason,
        device: of.map(|of| of.device.clone()),
        devices: backend.devices,
        operations: of.map_or(Vec::new(), |of| of.operations.iter().map(|operation| operation.name()).collect()),
        hashes: of.map_or(Vec::new(), |of| of.hashes.iter().map(|hash| hash.name()).collect()),
        max_log_height: of.map(|of| of.max_log_height),
        available_memory_bytes: backend.available_memory,
    }
}

fn text(view: &View) -> String {
    let mut text = String::new();
    for backend in &view.backends {
        let state = match (backend.available, backend.preferred) {
            (true, true) => "available, taken by auto",
            (true, false) => "available",
            (false, _) => "not available",
        };
        text += &format!("{}: {state}\n", backend.name);
        let mut rows = Vec::new();
        if let Some(reason) = &backend.reason {
            rows.push(("reason", reason.clone()));
        }
        if let Some(device) = &backend.device {
            let memory =
                backend.available_memory_bytes.map_or("unknown".to_owned(), |available| Bytes(available).to_string());
            rows.push(("device", device.clone()));
            let numbered = backend.devices.iter().enumerate().map(|(number, name)| format!("{number}: {name}"));
            if backend.devices.len() > 1 {
                rows.push(("by number", numbered.collect::<Vec<_>>().join(", ")));
            }
            rows.push(("free memory", memory));
            rows.push(("hashes", backend.hashes.join(", ")));
            rows.push(("largest column", format!("2^{} rows", backend.max_log_height.unwrap_or(0))));
        }
        text += &table(&rows);
    }
    text
}

#[cfg(test)]
mod tests {
    use gpu_hal::{Capabilities, MemoryInfo};

    use super::views;
    use sdk::Availability;

    /// Made by hand: a registry that opens devices would compile the whole prover into the unit tests, which takes
    /// minutes.
    fn backend(name: &str, is_automatic: bool, is_usable: bool) -> Availability {
        let capabilities = Capabilities {
            backend: name.into(),
            device: "none".into(),
            operations: Vec::new(),
            hashes: Vec::new(),
            max_log_height: 4,
            blocks: false,
            at_once: 1,
            stops: false,
        };
        let memory = MemoryInfo { available: None, in_use: 0, peak: 0, is_host: true, moved: None };
        let state = if is_usable { Ok((capabilities, memory)) } else { Err("broken".to_owned()) };
        Availability { name: name.into(), is_automatic, devices: Vec::new(), state, available_memory: None }
    }

    #[test]
    fn what_auto_passes_over_is_not_marked() {
        let backends = [("named", false, true), ("broken", true, false), ("first", true, true), ("second", true, true)];
        let views =
            views(backends.map(|(name, is_automatic, is_usable)| backend(name, is_automatic, is_usable)).into(), true);
        let of = |is: fn(&super::BackendView) -> bool| -> Vec<&str> {
            views.iter().filter(|view| is(view)).map(|view| view.name.as_str()).collect()
        };
        assert_eq!(of(|view| view.preferred), ["first"]);
        assert_eq!(of(|view| view.available), ["named", "first", "second"]);
    }
}
