//! Limits of the system for a process that runs hints: memory, time of the processor, no files.

use std::fs;
use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::vm::python::granted::{MEMORY, seconds};

/// Limits this process, before it reads anything.
pub(super) fn limit() -> io::Result<()> {
    set(Resource::As, address_space()?.saturating_add(MEMORY))?;
    // Descriptors that are open stay so: the pipes alone.
    set(Resource::Nofile, 0)?;
    set(Resource::Fsize, 0)?;
    allow_processor(0)?;
    set(Resource::Core, 0)
}

/// Lets this process have the processor for as long as so many hints may take.
pub(super) fn allow_processor(hints: u64) -> io::Result<()> {
    let maximum = getrlimit(Resource::Cpu).maximum;
    let current = Some(within(seconds(hints), maximum));
    Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum })?)
}

/// Sets a limit that is not lifted any more, or keeps a lower one.
fn set(resource: Resource, limit: u64) -> io::Result<()> {
    let limit = Some(within(limit, getrlimit(resource).maximum));
    Ok(setrlimit(resource, Rlimit { current: limit, maximum: limit })?)
}

fn within(limit: u64, maximum: Option<u64>) -> u64 {
    maximum.map_or(limit, |maximum| limit.min(maximum))
}

/// Bytes of addresses that this process has.
fn address_space() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|number| number.trim().parse::<u64>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("the system does not say how much memory a process has"))
}
