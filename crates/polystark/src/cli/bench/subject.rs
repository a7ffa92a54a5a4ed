//! A statement that is proven again and again to be measured, of either protocol.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use polystark::hal::{Operation, StarkBackend};
use polystark::prover::{Observer, Phase, ProveError, circle};
use polystark::{Error, Stage, TraceSource};
use serde::Serialize;

use super::measurable::Measurable;
use super::work::Work;
use crate::cli::views::bytes;

/// The operations of a proof with their least work; `levels` are those of a transform between two trips to memory.
pub(super) type Calls<'a> = Box<dyn Fn(u32) -> Vec<(Operation, Work)> + 'a>;

/// The proof that went through all checks.
pub(super) struct First<'a, F> {
    /// The statement with the proof.
    pub(super) file: Vec<u8>,
    /// The bare proof.
    pub(super) proof: Vec<u8>,
    /// What is reported of the options and of their worth.
    pub(super) facts: F,
    /// Highest memory in use, as planned, what is made once included.
    pub(super) planned_peak_bytes: u64,
    /// How long the verifier took.
    pub(super) verify: Duration,
    pub(super) calls: Calls<'a>,
}

/// A statement made ready on a backend, its trace built if the device does not make it.
pub(super) struct Ready<'a> {
    /// How long the statement took to be made ready, without its trace.
    pub(super) preparation: Duration,
    pub(super) prove: &'a Prove<'a>,
}

/// Proves; calls the argument where a phase begins.
pub(super) type Prove<'a> = dyn Fn(&dyn Fn(Phase)) -> Result<(), Error> + 'a;

/// A statement with its options.
pub(super) trait Subject {
    type P: Measurable;
    /// Options and security.
    type Facts: Serialize;

    fn air(&self) -> &str;

    fn rows(&self) -> u64;

    fn parameters(&self) -> BTreeMap<String, u64>;

    /// Where the trace is computed: on the host or on the device.
    fn trace(&self) -> TraceSource;

    /// Refuses what cannot be proven, without work.
    fn check(&self) -> Result<(), Error>;

    /// Proves and verifies.
    fn first<B: StarkBackend<P = Self::P>>(&self, backend: &Arc<B>) -> Result<First<'_, Self::Facts>, Error>;

    /// Verifies a file.
    fn verify(&self, file: &[u8]) -> Result<(), Error>;

    /// Makes the statement ready and does something with it.
    fn with_ready<B: StarkBackend<P = Self::P>, T>(
        &self,
        backend: &Arc<B>,
        then: impl FnOnce(&Ready<'_>) -> Result<T, Error>,
    ) -> Result<T, Error>;
}

/// Where a trace is computed, as the arguments say it.
pub(super) const fn origin(trace: TraceSource) -> &'static str {
    match trace {
        TraceSource::Device => "device",
        _ => "upload",
    }
}

/// Runs `prove`, which is told what to call where a stage begins; its result, and how long its last stage took, the verification.
pub(super) fn with_verify_time<T>(
    prove: impl FnOnce(&dyn Fn(Stage)) -> Result<T, Error>,
) -> Result<(T, Duration), Error> {
    let stage = Cell::new(Instant::now());
    let value = prove(&|_| stage.set(Instant::now()))?;
    Ok((value, stage.get().elapsed()))
}

/// Why a statement was not proven, if it does not fit in memory.
pub(super) fn too_large(error: &Error) -> Option<String> {
    let (needed, available) = match error {
        Error::Prove(ProveError::Memory { needed, available, .. }) => (*needed, *available),
        Error::CircleProve(circle::ProveError::Memory { needed, available, .. }) => (*needed, *available),
        _ => return None,
    };
    Some(format!("it takes {} of memory, {} are available", bytes(needed), bytes(available)))
}

/// Says where a phase begins.
pub(super) struct Follow<'a>(pub(super) &'a dyn Fn(Phase));

impl<E> Observer<E> for Follow<'_> {
    fn phase(&self, phase: Phase) {
        (self.0)(phase);
    }
}
