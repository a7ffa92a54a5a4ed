//! A farm in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use farm::http::{Answer, Changes, Counts, Farm, Listed, Submitted};
use farm::{Artefact, Digest, Error, Job, JobName, Priority, ProofConflict, Result, State, Status, Submission, Worker};
use futures_util::stream;
use tokio::sync::broadcast;

/// A moment of 2026, in milliseconds.
pub(crate) const MOMENT: u64 = 1_795_000_000_000;

pub(crate) struct Memory {
    jobs: Mutex<BTreeMap<JobName, Status>>,
    pub(crate) proofs: Mutex<BTreeMap<JobName, Bytes>>,
    pub(crate) workers: Mutex<Vec<Worker>>,
    pub(crate) alarms: Mutex<Vec<ProofConflict>>,
    pub(crate) is_down: AtomicBool,
    pub(crate) is_full: AtomicBool,
    changes: broadcast::Sender<Status>,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Mutex::default(),
            proofs: Mutex::default(),
            workers: Mutex::default(),
            alarms: Mutex::default(),
            is_down: AtomicBool::new(false),
            is_full: AtomicBool::new(false),
            changes: broadcast::channel(1 << 16).0,
        }
    }

    /// A job changes, whether it was there or not.
    pub(crate) fn put(&self, status: Status) {
        self.jobs.lock().unwrap().insert(status.name, status.clone());
        let _ = self.changes.send(status);
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.changes.receiver_count() > 0
    }

    fn get(&self, name: JobName) -> Result<Status> {
        self.jobs.lock().unwrap().get(&name).cloned().ok_or(Error::Unknown(name))
    }

    fn answer<'a, T: Send + 'a>(&self, answer: impl FnOnce() -> Result<T>) -> Answer<'a, T> {
        let is_down = self.is_down.load(Ordering::Relaxed);
        let answer =
            if is_down { Err(Error::Server { what: "anything", detail: "no connection".into() }) } else { answer() };
        Box::pin(async { answer })
    }
}

pub(crate) fn job(rows: u64) -> Job {
    let words = [("air", "fibonacci".to_owned()), ("rows", rows.to_string())];
    Job {
        kind: "circle".into(),
        words: words.map(|(word, value)| (word.into(), value)).into(),
        inputs: BTreeMap::new(),
    }
}

pub(crate) fn queued(job: Job, priority: Priority) -> Status {
    Status {
        name: job.name(),
        job,
        priority,
        deadline: None,
        state: State::Queued,
        bytes: 3 << 30,
        attempts: 0,
        worker: None,
        phase: None,
        share: 0.0,
        submitted: MOMENT,
        begun: None,
        ended: None,
        phases: Vec::new(),
        error: None,
        proof: None,
        proof_bytes: None,
        printed: None,
    }
}

pub(crate) fn running(status: &Status, worker: &str) -> Status {
    let phases = vec![("trace".into(), MOMENT + 1000), ("commit".into(), MOMENT + 1500)];
    let (phase, begun) = (Some("commit".to_owned()), Some(MOMENT + 1000));
    let (state, worker) = (State::Running, Some(worker.to_owned()));
    Status { state, worker, attempts: 1, share: 0.25, phase, begun, phases, ..status.clone() }
}

pub(crate) fn done(status: &Status, proof: &[u8]) -> Status {
    let (ended, proof_bytes) = (Some(MOMENT + 3500), Some(proof.len() as u64));
    Status {
        state: State::Done,
        phase: None,
        share: 1.0,
        ended,
        proof: Some(Digest::of(proof)),
        proof_bytes,
        ..status.clone()
    }
}

impl Farm for Memory {
    fn submit(&self, submission: Submission) -> Answer<'_, Submitted> {
        self.answer(|| {
            let name = submission.job.name();
            if let Ok(status) = self.get(name) {
                return Ok(Submitted { status, queued: false });
            }
            if submission.job.kind != "circle" {
                return Err(Error::Refused(format!("there is no kind `{}`", submission.job.kind)));
            }
            if self.is_full.load(Ordering::Relaxed) {
                return Err(Error::Limit { what: Error::QUEUE, is: 11, limit: 10 });
            }
            let status = Status { deadline: submission.deadline, ..queued(submission.job, submission.priority) };
            self.put(status.clone());
            Ok(Submitted { status, queued: true })
        })
    }

    fn named<'a>(&'a self, text: &'a str) -> Answer<'a, JobName> {
        self.answer(|| {
            let text = text.to_lowercase();
            if let Ok(name) = text.parse() {
                return Ok(name);
            }
            if text.len() < 4 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(Error::NoName { text, least: 4 });
            }
            let jobs = self.jobs.lock().unwrap();
            let found: Vec<JobName> = jobs.keys().filter(|name| name.to_string().starts_with(&text)).copied().collect();
            match found[..] {
                [] => Err(Error::Nobody(text)),
                [name] => Ok(name),
                _ => Err(Error::Several { text, names: format!("{found:?}") }),
            }
        })
    }

    fn status(&self, name: JobName) -> Answer<'_, Status> {
        self.answer(|| self.get(name))
    }

    fn list(&self, state: Option<State>, limit: usize, after: Option<JobName>) -> Answer<'_, Listed> {
        self.answer(|| {
            let jobs = self.jobs.lock().unwrap();
            let jobs = jobs.values().filter(|status| state.is_none_or(|state| status.state == state));
            let jobs = jobs.filter(|status| after.is_none_or(|after| status.name > after));
            let jobs: Vec<Status> = jobs.take(limit).cloned().collect();
            let after = jobs.last().filter(|_| jobs.len() == limit).map(|status| status.name);
            Ok(Listed { jobs, after })
        })
    }

    fn cancel(&self, name: JobName) -> Answer<'_, Status> {
        self.answer(|| {
            let mut status = self.get(name)?;
            if status.state.is_final() {
                return Err(Error::State { name, state: status.state });
            }
            (status.state, status.ended) = (State::Cancelled, Some(MOMENT + 9000));
            self.put(status.clone());
            Ok(status)
        })
    }

    fn proof(&self, name: JobName) -> Answer<'_, Artefact> {
        self.answer(|| {
            let proof = self.proofs.lock().unwrap().get(&name).cloned().ok_or(Error::Unknown(name))?;
            let bytes = proof.len() as u64;
            let pieces: Vec<_> = proof.chunks(1 << 16).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
            Ok(Artefact { bytes, pieces: Box::pin(stream::iter(pieces)) })
        })
    }

    fn put_input(&self, bytes: Bytes) -> Answer<'_, Digest> {
        self.answer(|| Ok(Digest::of(&bytes)))
    }

    fn watch(&self) -> Answer<'_, Changes> {
        self.answer(|| {
            let changes = stream::unfold(self.changes.subscribe(), |mut changes| async {
                let change = changes.recv().await.expect("nobody changes more than the channel has");
                Some((Ok(change), changes))
            });
            Ok(Box::pin(changes) as Changes)
        })
    }

    fn workers(&self) -> Answer<'_, Vec<Worker>> {
        self.answer(|| Ok(self.workers.lock().unwrap().clone()))
    }

    fn alarms(&self) -> Answer<'_, Vec<ProofConflict>> {
        self.answer(|| Ok(self.alarms.lock().unwrap().clone()))
    }

    fn counts(&self) -> Answer<'_, Counts> {
        self.answer(|| {
            let jobs = self.jobs.lock().unwrap();
            let count = |is: &dyn Fn(&Status) -> bool| jobs.values().filter(|status| is(status)).count() as u64;
            let waits = |status: &Status| status.state == State::Queued;
            Ok(Counts {
                jobs: State::ALL.map(|state| (state.name(), count(&|status| status.state == state))).into(),
                queue: Priority::ALL
                    .map(|priority| (priority.name(), count(&|status| waits(status) && status.priority == priority)))
                    .into(),
            })
        })
    }

    fn ping(&self) -> Answer<'_, ()> {
        self.answer(|| Ok(()))
    }
}
