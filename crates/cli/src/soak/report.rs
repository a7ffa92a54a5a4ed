//! The results of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use gpu_hal::Bytes;
use serde::Serialize;

use crate::report::output::table;

/// Samples that are kept: when there are twice as many, every other one goes, and they are taken half as often.
const SAMPLES: usize = 512;

/// Counts of finished work.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) statements: u64,
    /// Verified, and equal to the other backend's.
    pub(super) proofs: u64,
    pub(super) cancelled: u64,
    /// Traces that do not satisfy their statement, of which there was no proof; of programs forged proofs, too.
    pub(super) refused: u64,
    /// Errors of the device that came out unchanged.
    pub(super) faults: u64,
    /// Wrong results of the device of which there was no proof.
    pub(super) miscomputed: u64,
    /// Statements that found too little memory.
    pub(super) no_room: u64,
}

/// Time and memory at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Seconds of a proof of the same statement each time.
    pub(super) seconds: f64,
    /// Memory of the device that is held, by proofs of the other workers too.
    pub(super) in_use: u64,
    /// The resident bytes of the process.
    pub(super) resident: u64,
}

/// Counts made while workers work.
#[derive(Debug)]
pub(super) struct Tally {
    protocols: BTreeMap<&'static str, Counts>,
    statements: u64,
    samples: Vec<Sample>,
    /// Statements to a sample.
    stride: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { protocols: BTreeMap::new(), statements: 0, samples: Vec::new(), stride: 1 }
    }
}

impl Tally {
    /// Counts a statement; whether a sample is due.
    pub(super) fn add(&mut self, protocol: &'static str, counts: Counts) -> bool {
        let sum = self.protocols.entry(protocol).or_default();
        sum.statements += counts.statements;
        sum.proofs += counts.proofs;
        sum.cancelled += counts.cancelled;
        sum.refused += counts.refused;
        sum.faults += counts.faults;
        sum.miscomputed += counts.miscomputed;
        sum.no_room += counts.no_room;
        self.statements += 1;
        self.statements.is_multiple_of(self.stride)
    }

    /// Keeps a sample, and memory bounded.
    pub(super) fn keep(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.samples.len() == 2 * SAMPLES {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.stride *= 2;
        }
    }
}

/// Medians of the first and of the last quarter.
#[derive(Debug, Serialize)]
struct Drift {
    proof_seconds: [f64; 2],
    device_bytes: [u64; 2],
    resident_bytes: [u64; 2],
}

impl Drift {
    /// `None` with fewer than four samples.
    fn of(samples: &[Sample]) -> Option<Self> {
        let quarter = samples.len() / 4;
        let ends = [samples.get(..quarter)?, samples.get(samples.len() - quarter..)?];
        (quarter > 0).then(|| Self {
            proof_seconds: ends.map(|end| median(end.iter().map(|sample| sample.seconds))),
            device_bytes: ends.map(|end| median(end.iter().map(|sample| sample.in_use))),
            resident_bytes: ends.map(|end| median(end.iter().map(|sample| sample.resident))),
        })
    }
}

/// The middle one of some values, zero of none.
fn median<T: PartialOrd + Copy + Default>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The result.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    backend: String,
    against: String,
    seconds: f64,
    /// Bytes that another process holds of the device.
    held_bytes: u64,
    protocols: BTreeMap<&'static str, Counts>,
    drift: Option<Drift>,
}

impl Report {
    pub(super) fn new([backend, against]: [String; 2], time: Duration, held_bytes: u64, tally: &Tally) -> Self {
        let drift = Drift::of(&tally.samples);
        let protocols = tally.protocols.clone();
        Self { status: "soaked", backend, against, seconds: time.as_secs_f64(), held_bytes, protocols, drift }
    }

    pub(super) fn text(&self) -> String {
        let mut rows = vec![
            ("backend", self.backend.clone()),
            ("against", self.against.clone()),
            ("time", format!("{:.1} s", self.seconds)),
        ];
        if self.held_bytes > 0 {
            rows.push(("held elsewhere", format!("{:#}", Bytes(self.held_bytes))));
        }
        rows.extend(self.protocols.iter().map(|(name, counts)| {
            let Counts { statements, proofs, cancelled, refused, faults, miscomputed, no_room } = counts;
            let mut what = format!(
                "{statements} statements, {proofs} proofs verified and equal, {cancelled} cancelled, {refused} false traces or proofs refused"
            );
            if faults + miscomputed > 0 {
                what += &format!(", {faults} faults named, {miscomputed} wrong results noticed");
            }
            if *no_room > 0 {
                what += &format!(", {no_room} without memory");
            }
            (*name, what)
        }));
        if let Some(Drift { proof_seconds, device_bytes, resident_bytes }) = &self.drift {
            let [first, last] = proof_seconds.map(|seconds| format!("{:.1} ms", 1000.0 * seconds));
            rows.push(("one proof", format!("{first} in the first quarter, {last} in the last")));
            for (name, [first, last]) in [("device memory", device_bytes), ("process memory", resident_bytes)] {
                rows.push((name, format!("{:#} in the first quarter, {:#} in the last", Bytes(*first), Bytes(*last))));
            }
        }
        format!("nothing wrong\n{}", table(&rows))
    }
}

/// Resident memory of this process, as Linux tells it; zero elsewhere.
pub(super) fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    1024 * kibibytes.unwrap_or(0)
}
