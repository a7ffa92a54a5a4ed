//! Arguments that several subcommands share.

pub(crate) mod check;
pub(crate) mod global;
pub(crate) mod hints;
pub(crate) mod numbers;
pub(crate) mod parser;
pub(crate) mod usage;
pub(crate) mod values;

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use super::circle::arguments::CircleOptionArguments;
use super::goldilocks::arguments::GoldilocksOptionArguments;
use crate::arguments::values::{
    Assignment, DeviceNumbers, SpillArgument, assignment, device_numbers, integer, parameters, spill,
};
use crate::report::exit::Failure;
use sdk::hal::Bytes;
use sdk::hal::Protocol as _;
use sdk::proof_format::text::excerpt;
use sdk::support::nearest;
use sdk::{Device, DeviceOptions, ProofSystem, Registry};

/// The protocol of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Goldilocks with challenges in its cubic extension
    Goldilocks,
    /// Circle STARKs over M31, as stwo proves them
    Circle,
}

/// Does something for a protocol, whichever it is: `$system` is its type in `$body`.
macro_rules! with_system {
    ($protocol:expr, $system:ident => $body:expr) => {
        match $protocol {
            $crate::arguments::Protocol::Goldilocks => {
                type $system = sdk::Goldilocks3;
                $body
            }
            $crate::arguments::Protocol::Circle => {
                type $system = sdk::hal::CircleStark;
                $body
            }
        }
    };
}
pub(crate) use with_system;

impl Protocol {
    /// The name on the command line and in files.
    fn name(self) -> &'static str {
        with_system!(self, S => S::NAME)
    }

    fn airs(self, registry: &Registry) -> Vec<String> {
        with_system!(self, S => registry.airs::<S>().all().map(|family| family.name().to_owned()).collect())
    }

    /// The protocol that is `given`, or else that which has the AIR.
    pub(crate) fn of_air(given: Option<Self>, air: &str, registry: &Registry) -> Result<Self, Failure> {
        let all = Self::value_variants().iter().map(|protocol| (*protocol, protocol.airs(registry)));
        Self::with_air(given, air, &all.collect::<Vec<_>>())
    }

    /// The same of protocols and the names of their AIRs.
    fn with_air(given: Option<Self>, air: &str, all: &[(Self, Vec<String>)]) -> Result<Self, Failure> {
        let having: Vec<Self> =
            all.iter().filter(|(_, airs)| airs.iter().any(|name| name == air)).map(|(protocol, _)| *protocol).collect();
        match (given, &having[..]) {
            (Some(given), [other]) if given != *other => {
                let other = other.name();
                Err(Failure::usage(format!(
                    "`{air}` is an AIR of the protocol {other}: say --protocol {other}, or leave --protocol out"
                )))
            }
            (Some(only), _) | (None, &[only]) => Ok(only),
            (None, []) => {
                let near = nearest(air, all.iter().flat_map(|(_, airs)| airs.iter().map(String::as_str)));
                let near = near.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
                let list = |(protocol, airs): &(Self, Vec<String>)| {
                    let airs = if airs.is_empty() { "none".to_owned() } else { airs.join(", ") };
                    format!("of {}: {airs}", protocol.name())
                };
                let lists: Vec<String> = all.iter().map(list).collect();
                Err(Failure::usage(format!("no AIR `{}`{near}; there are, {}", excerpt(air), lists.join("; "))))
            }
            (None, several) => {
                let ways: Vec<String> = several.iter().map(|one| format!("--protocol {}", one.name())).collect();
                Err(Failure::usage(format!("both protocols have an AIR `{air}`: say {}", ways.join(" or "))))
            }
        }
    }
}

/// Refuses an argument that the protocol does not have.
pub(crate) fn refuse(given: Option<&'static str>, protocol: &str) -> Result<(), Failure> {
    match given {
        None => Ok(()),
        Some(name) => {
            let instead = counterpart(name).map(|other| format!(": it has {other}")).unwrap_or_default();
            Err(Failure::usage(format!("{name} does not exist for the {protocol} protocol{instead}")))
        }
    }
}

/// The other protocol's name for an argument that only one of them has.
pub(crate) fn counterpart(argument: &str) -> Option<&'static str> {
    Some(match argument {
        "--grinding" => "--pow-bits",
        "--pow-bits" => "--grinding",
        "--blowup" => "--log-blowup, which is log2 of it",
        "--log-blowup" => "--blowup, which is 2 to that power",
        "--hash" => "--channel",
        "--channel" => "--hash",
        "--expect-grinding" => "--expect-pow-bits",
        "--expect-pow-bits" => "--expect-grinding",
        "--expect-blowup" => "--expect-log-blowup, which is log2 of it",
        "--expect-log-blowup" => "--expect-blowup, which is 2 to that power",
        _ => return None,
    })
}

/// The device.
#[derive(Args, Clone, Debug)]
pub(crate) struct DeviceArguments {
    /// auto (cuda where a GPU can be used, else cpu), cuda, cpu, cpu-reference or another that `polystark backends`
    /// lists, or the path of a shared library that has one, which is run: trust it; NAME:N is its device N
    #[arg(long, default_value = "auto")]
    backend: String,
    /// Number of the device, from 0 [default: 0]
    #[arg(long, value_name = "N")]
    device: Option<u32>,
    /// Several devices that make each proof together: how many, such as 2, which are the first ones, or their numbers,
    /// such as 0,1. The processor divides its threads
    #[arg(long, value_name = "LIST", value_parser = device_numbers, conflicts_with = "device")]
    devices: Option<DeviceNumbers>,
    /// Move what does not fit the device to the host's memory, until it is used again: `host`, or `host:BYTES` to take
    /// at most BYTES bytes of each device. Otherwise a statement that does not fit is refused
    #[arg(long, value_name = "WHERE", value_parser = spill)]
    spill: Option<SpillArgument>,
    /// Threads of a backend that runs on the host's processor, 1 to 1024 [default: all]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl DeviceArguments {
    /// A backend, in the form that --backend takes.
    pub(crate) fn named(backend: &str) -> Self {
        Self { backend: backend.to_owned(), device: None, devices: None, spill: None, threads: None }
    }

    /// One thread of the processor, to plan proofs that others make.
    pub(crate) fn planner() -> Self {
        Self { threads: Some(1), ..Self::named("cpu") }
    }

    /// The backend as it was asked for.
    pub(crate) fn backend(&self) -> &str {
        &self.backend
    }

    /// The first device as arguments of another process.
    pub(crate) fn as_arguments(&self) -> Vec<String> {
        let Self { backend, device, devices, .. } = self;
        let first = device.or_else(|| devices.as_ref()?.0.first().copied());
        let number = first.map(|first| ["--device".to_owned(), first.to_string()]);
        ["--backend".to_owned(), backend.clone()].into_iter().chain(number.into_iter().flatten()).collect()
    }

    /// Refuses a number of threads where it would change nothing.
    fn check_threads(&self) -> Result<(), Failure> {
        let name = self.backend.split(':').next().unwrap_or_default();
        let takes = match (name, self.threads) {
            ("cpu-reference", Some(2..)) => "runs on one thread",
            ("cuda" | "metal", Some(_)) => "does not run on the processor",
            _ => return Ok(()),
        };
        Err(Failure::usage(format!("the backend {name} {takes}: leave out --threads, or take `cpu`")))
    }

    pub(crate) fn open<F: ProofSystem>(&self, registry: &Registry) -> Result<Device<F>, Failure> {
        self.check_threads()?;
        let devices = self.devices.as_ref().map_or_else(Vec::new, |DeviceNumbers(devices)| devices.clone());
        let spill = self.spill.map(|SpillArgument(bytes)| bytes);
        let place = DeviceOptions { device: self.device, devices, spill, threads: self.threads.map(usize::from) };
        let device: Device<F> = registry.open(&self.backend, &place)?;
        if self.backend == "auto" && self.threads.is_some() && device.memory().is_ok_and(|memory| !memory.is_host) {
            let name = &device.capabilities().backend;
            return Err(Failure::usage(format!(
                "the backend auto takes {name} here, which does not run on the processor: leave out --threads, or take `cpu`"
            )));
        }
        Ok(device)
    }

    /// Whether tables that do not fit the device may be moved to the host's memory.
    pub(crate) fn may_spill(&self) -> bool {
        self.spill.is_some()
    }

    /// Advice after a refusal for want of memory: the host's memory would do.
    pub(crate) fn advice<F: ProofSystem>(&self, device: &Device<F>, error: &sdk::Error) -> Option<String> {
        let (needed, _) = error.missing_memory().filter(|_| self.spill.is_none())?;
        let is_beside = device.memory().is_ok_and(|memory| !memory.is_host);
        let fits = sdk::support::host_memory().is_some_and(|available| needed <= available);
        (is_beside && fits).then(|| {
            "the host's memory holds what the device does not: `--spill host` moves it there and back".to_owned()
        })
    }
}

/// The cost so far of moving tables to the host's memory, if any were moved: never in silence.
pub(crate) fn moved<F: ProofSystem>(device: &Device<F>) -> Option<String> {
    let moved = device.memory().ok()?.moved.filter(|moved| *moved > 0)?;
    Some(format!("the device was too small: {} were moved to the host's memory and back", Bytes(moved)))
}

/// The subject of a proof beyond its AIR and its rows, and the way to make it.
#[derive(Args)]
pub(crate) struct StatementArguments {
    /// A parameter of the AIR, see `polystark airs`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<Assignment>,
    #[command(flatten)]
    pub(crate) goldilocks: GoldilocksOptionArguments,
    #[command(flatten)]
    pub(crate) circle: CircleOptionArguments,
}

impl StatementArguments {
    /// Whether nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.proof_option().is_none()
    }

    /// An option of the proof, if one is given; the statement does not depend on it.
    pub(crate) fn proof_option(&self) -> Option<&'static str> {
        let queries = self.goldilocks.queries().map(|_| "--queries");
        queries.or_else(|| self.goldilocks.given()).or_else(|| self.circle.given())
    }

    /// The parameters by name.
    pub(crate) fn parameters(&self) -> Result<BTreeMap<String, u64>, Failure> {
        parameters(&self.parameters)
    }
}

/// A statement about an AIR that has a name.
#[derive(Args)]
pub(crate) struct NamedStatement {
    /// The protocol [default: the one that has the AIR]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// The AIR, see `polystark airs`
    #[arg(long, value_name = "NAME")]
    pub(crate) air: String,
    /// Rows of the trace, a power of two such as 1048576 or 2^20
    #[arg(long, value_name = "N", value_parser = integer)]
    pub(crate) rows: u64,
    #[command(flatten)]
    pub(crate) statement: StatementArguments,
}

impl NamedStatement {
    /// Its protocol.
    pub(crate) fn protocol(&self, registry: &Registry) -> Result<Protocol, Failure> {
        Protocol::of_air(self.protocol, &self.air, registry)
    }
}

#[cfg(test)]
mod tests {
    use backend_emulated::{Emulated, NAME};
    use sdk::OpenBackend;
    use sdk::hal::CircleStark;

    use super::*;

    #[test]
    fn threads_of_a_gpu_are_refused() {
        let gpu = |_: &DeviceOptions| {
            let emulated = Emulated::<CircleStark>::new(NAME, backend_emulated::device()?)?;
            Ok(OpenBackend::new(emulated))
        };
        let none = |_: &DeviceOptions| Err(sdk::Error::NoThreads);
        let registry = Registry::shipped().with("gpu", (none, gpu));
        let open = |threads| {
            let arguments = DeviceArguments { backend: "auto".to_owned(), threads, ..DeviceArguments::planner() };
            arguments.open::<CircleStark>(&registry).map(drop)
        };
        assert!(open(None).is_ok());
        let refused = open(Some(2)).expect_err("the GPU has no threads of the host").message;
        assert!(refused.contains("auto takes") && refused.contains("--threads"), "{refused}");
    }

    #[test]
    fn an_air_has_its_protocol_unless_both_have_it() {
        let all = [(Protocol::Goldilocks, "one"), (Protocol::Circle, "two")];
        let all = all.map(|(protocol, own)| (protocol, vec![own.to_owned(), "both".to_owned()]));
        let of = |air| Protocol::with_air(None, air, &all);
        let refused = Protocol::with_air(Some(Protocol::Circle), "one", &all).unwrap_err().message;
        assert!(refused.contains("of the protocol goldilocks: say --protocol goldilocks"), "{refused}");
        assert_eq!(Protocol::with_air(Some(Protocol::Circle), "both", &all).unwrap(), Protocol::Circle);
        assert_eq!((of("one").unwrap(), of("two").unwrap()), (Protocol::Goldilocks, Protocol::Circle));
        let both = of("both").unwrap_err().message;
        assert!(both.contains("--protocol goldilocks or --protocol circle"), "{both}");
        let neither = of("three").unwrap_err().message;
        assert!(neither.contains("goldilocks: one, both; of circle: two, both"), "{neither}");
    }
}
