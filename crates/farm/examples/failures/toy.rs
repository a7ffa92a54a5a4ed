//! A prover of nothing: its proof is a chain of SHA-256, and it misbehaves when told to.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use farm::{Digest, Failure, Job, JobProof, Priority, Prover, Requirements, Step, Submission};

/// A job of this number, whose device takes `device_ms` milliseconds, with further words.
pub(crate) fn job(number: usize, device_ms: u64, more: &[(&str, &str)]) -> Submission {
    let words = [("number".to_owned(), number.to_string()), ("device-ms".to_owned(), device_ms.to_string())];
    let more = more.iter().map(|(word, value)| ((*word).to_owned(), (*value).to_owned()));
    let job = Job { kind: "toy".into(), words: words.into_iter().chain(more).collect(), inputs: BTreeMap::new() };
    Submission { job, priority: Priority::Normal, deadline: None }
}

/// The same, and its prover waits in the middle until this file exists.
pub(crate) fn gated(number: usize, device_ms: u64, gate: &Gate, more: &[(&str, &str)]) -> Submission {
    let mut submission = job(number, device_ms, more);
    submission.job.words.insert("gate".into(), gate.0.display().to_string());
    submission
}

/// Provers wait for it in the middle of their jobs, so that a case need not be quick to find them there.
pub(crate) struct Gate(pub(crate) PathBuf);

impl Gate {
    pub(crate) fn open(&self) -> Result<(), String> {
        std::fs::write(&self.0, []).map_err(|error| format!("{}: {error}", self.0.display()))
    }
}

/// The proof of a job: as many bytes as the job says, 1000 if it says nothing.
pub(crate) fn proof(job: &Job) -> Vec<u8> {
    let mut link = job.name().to_string();
    let bytes = number(job, "proof-bytes").unwrap_or(1000) as usize;
    let mut proof = Vec::with_capacity(bytes + 64);
    while proof.len() < bytes {
        for _ in 0..16 {
            link = Digest::of(link.as_bytes()).to_string();
        }
        proof.extend(link.as_bytes());
        // A large proof is one whose chain is repeated: it costs disk, not time.
        if proof.len() == 1024 {
            proof = proof.repeat(bytes.div_ceil(1024));
        }
    }
    proof.truncate(bytes);
    proof
}

fn number(job: &Job, word: &str) -> Option<u64> {
    job.words.get(word)?.parse().ok()
}

/// The prover.
pub(crate) struct Toy {
    /// Its proofs are wrong, and it thinks that they are right.
    pub(crate) differs: bool,
    pub(crate) room: Option<u64>,
}

impl Prover for Toy {
    fn device(&self) -> String {
        "toy".into()
    }

    fn room(&self) -> Option<u64> {
        self.room
    }

    fn normal(&self, job: &Job) -> Result<Job, String> {
        if job.kind == "toy" { Ok(job.clone()) } else { Err(format!("`{}` is no toy", job.kind)) }
    }

    fn needs(&self, job: &Job, _: &BTreeMap<String, Bytes>) -> Result<Requirements, String> {
        Ok(Requirements { bytes: number(job, "bytes").unwrap_or(1) })
    }

    fn prove(
        &self,
        job: &Job,
        _: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure> {
        let device = number(job, "device-ms").unwrap_or(0);
        // The device computes, phase by phase.
        let begun = Instant::now();
        let steps = (device / 100).max(2);
        for step in 0..steps {
            let (phase, share) = (if step % 2 == 0 { "left" } else { "right" }, step as f64 / steps as f64);
            if follow(Step { phase, share }).is_break() && !job.words.contains_key("deaf") {
                return Err(Failure::Stopped);
            }
            if step == 1 {
                misbehave(job)?;
                while job.words.get("gate").is_some_and(|gate| !Path::new(gate).exists()) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let until = begun + Duration::from_millis(device) * (step + 1) as u32 / steps as u32;
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
        let mut proof = proof(job);
        if self.differs || job.words.get("does").is_some_and(|does| does == "corrupt") {
            proof.reverse();
        }
        let (differs, job) = (self.differs, job.clone());
        let verify = move |bytes: &[u8]| {
            std::thread::sleep(Duration::from_millis(number(&job, "verify-ms").unwrap_or(0)));
            if differs || bytes == self::proof(&job) { Ok(()) } else { Err("it is another chain".into()) }
        };
        Ok(JobProof { proof, verify: Box::new(verify), printed: None })
    }
}

/// Misbehaves in the middle of a proof, as the job says.
fn misbehave(job: &Job) -> Result<(), Failure> {
    match job.words.get("does").map_or("", String::as_str) {
        "crash" => std::process::abort(),
        "panic" => panic!("as it was told"),
        "fail" => Err(Failure::Worker("the device is hot".into())),
        "refuse" => Err(Failure::Job("the trace is wrong".into())),
        "hang-once" => {
            let mark = Path::new(job.words.get("mark").map_or("", String::as_str));
            if std::fs::File::create_new(mark).is_ok() {
                std::thread::sleep(Duration::from_secs(3600));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
