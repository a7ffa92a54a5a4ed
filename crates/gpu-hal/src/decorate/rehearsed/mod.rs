//! A backend of shapes: a prover that runs on it learns what a proof takes of a device, and takes nothing of it.

mod operations;

use alloc::vec::Vec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::steps::{Moment, Step};
use crate::op::Cost;
use crate::{
    Columns, ConstraintProgram, DeviceBuffer, DeviceProgram, DeviceTree, Footprint, Operation, Result, StarkBackend,
    Types,
};

/// A program of a backend, and what it was made from.
pub struct Prepared<T: Types> {
    /// The program as the backend made it.
    pub program: T::Program,
    /// The program that it was made from.
    pub source: Arc<ConstraintProgram<T::P>>,
}

impl<T: Types> Prepared<T> {
    /// Makes a program ready.
    ///
    /// # Errors
    /// Errors of [`StarkBackend::prepare`].
    pub fn new<B>(backend: &B, source: &ConstraintProgram<T::P>) -> Result<Arc<Self>>
    where
        B: StarkBackend<T = T, P = T::P, Program = T::Program>,
    {
        Self::shared(backend, &Arc::new(source.clone()))
    }

    /// The same of what others have, too.
    ///
    /// # Errors
    /// Errors of [`StarkBackend::prepare`].
    pub fn shared<B>(backend: &B, source: &Arc<ConstraintProgram<T::P>>) -> Result<Arc<Self>>
    where
        B: StarkBackend<T = T, P = T::P, Program = T::Program>,
    {
        Ok(Arc::new(Self { program: backend.prepare(source)?, source: source.clone() }))
    }
}

impl<T: Types> DeviceProgram<T::P> for Arc<Prepared<T>> {
    fn program(&self) -> &ConstraintProgram<T::P> {
        &self.source
    }
}

/// The findings of a rehearsal since it began, or since [`Rehearsed::finish`] was called last.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// Highest sum of what was live, in bytes, what the backend keeps for all statements included
    /// ([`Footprint::Kept`]).
    pub peak_bytes: u64,
    /// Where it was reached.
    pub peak_at: Moment,
    /// Bytes that are live at the end, without those that the backend keeps.
    pub live_bytes: u64,
    /// Every operation, in order.
    pub steps: Vec<Step>,
    /// Moves to the host's memory and back; `None` if there are none.
    pub spill: Option<Spill>,
}

impl Rehearsal {
    /// Operations of the base field that evaluating constraints takes, about, on all rows
    /// ([`ConstraintProgram::operations`]).
    pub fn constraint_operations(&self) -> u64 {
        let evaluations = self.steps.iter().filter(|step| step.operation == Operation::ConstraintEval);
        evaluations.map(|step| step.cost.operations).sum::<f64>() as u64
    }
}

/// Moves between the host's memory and a device that is too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spill {
    /// Highest sum on the device, in bytes.
    pub device_bytes: u64,
    /// Highest sum in the host's memory, in bytes.
    pub host_bytes: u64,
    /// Bytes moved, in either direction.
    pub moved_bytes: u64,
}

impl Spill {
    /// The sums of two devices.
    pub fn plus(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.saturating_add(other.device_bytes),
            host_bytes: self.host_bytes.saturating_add(other.host_bytes),
            moved_bytes: self.moved_bytes.saturating_add(other.moved_bytes),
        }
    }

    /// The larger of each number.
    pub fn max(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.max(other.device_bytes),
            host_bytes: self.host_bytes.max(other.host_bytes),
            moved_bytes: self.moved_bytes.max(other.moved_bytes),
        }
    }
}

/// Live bytes in the order in which they are taken and released.
#[derive(Debug)]
struct Account {
    live: u64,
    peak: u64,
    peak_at: Moment,
    part: &'static str,
    steps: Vec<Step>,
    /// Log2 of the points of the largest domain so far.
    log_domain: u32,
}

#[derive(Debug)]
struct Ledger(Mutex<Account>);

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Account> {
        // No update can stop halfway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that count as live until this is dropped.
#[derive(Debug)]
struct Held {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_sub(self.bytes);
    }
}

/// A buffer without elements.
#[derive(Debug)]
pub struct ShapeBuffer {
    len: usize,
    _held: Held,
}

impl DeviceBuffer for ShapeBuffer {
    fn len(&self) -> usize {
        self.len
    }
}

/// A tree without digests.
#[derive(Debug)]
pub struct ShapeTree {
    log_leaves: u32,
    _held: Held,
}

impl DeviceTree for ShapeTree {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

/// The shapes of what would be on `B`'s device. Buffers and trees count for what [`StarkBackend::footprint`] says of
/// `B`, from when they are made until they are dropped; operations for as long as they run. What comes to the host is
/// zeros, and the first nonce is found at once. Data are neither asked for nor looked at.
pub struct Rehearsed<B: StarkBackend> {
    pub(super) inner: Arc<B>,
    ledger: Arc<Ledger>,
}

impl<B: StarkBackend> Rehearsed<B> {
    /// Nothing is live yet.
    pub fn new(inner: Arc<B>) -> Self {
        let nowhere = Moment { part: "", operation: Operation::Sync };
        let account = Account { live: 0, peak: 0, peak_at: nowhere, part: "", steps: Vec::new(), log_domain: 0 };
        Self { inner, ledger: Arc::new(Ledger(Mutex::new(account))) }
    }

    /// Names what follows, for [`Moment::part`].
    pub fn enter(&self, part: &'static str) {
        self.ledger.lock().part = part;
    }

    /// The findings. Live tables stay live, and the next peak starts from them.
    pub fn finish(&self) -> Rehearsal {
        let mut account = self.ledger.lock();
        let kept = self.inner.footprint(&Footprint::Kept { log_domain: account.log_domain });
        let rehearsal = Rehearsal {
            peak_bytes: account.peak.saturating_add(kept),
            peak_at: account.peak_at,
            live_bytes: account.live,
            steps: core::mem::take(&mut account.steps),
            spill: None,
        };
        account.peak = account.live;
        rehearsal
    }

    pub(super) fn note(&self, operation: Operation, cost: Cost) {
        self.ledger.lock().steps.push(Step { operation, cost });
    }

    /// Counts something until it is dropped.
    fn take(&self, what: &Footprint<'_, B::T>) -> Held {
        let bytes = self.inner.footprint(what);
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_add(bytes);
        if account.live > account.peak {
            let operation = account.steps.last().map_or(Operation::Sync, |step| step.operation);
            account.peak = account.live;
            account.peak_at = Moment { part: account.part, operation };
        }
        Held { ledger: self.ledger.clone(), bytes }
    }

    /// Memory that an operation takes while it runs; its result is live already.
    pub(super) fn pass(&self, what: &Footprint<'_, B::T>) {
        drop(self.take(what));
    }

    pub(super) fn tree(&self, log_leaves: u32) -> ShapeTree {
        ShapeTree { log_leaves, _held: self.take(&Footprint::Tree { log_leaves }) }
    }

    pub(super) fn table(&self, width: usize, log_height: u32) -> Columns<ShapeBuffer> {
        let shape = Columns::new((), width, log_height);
        let held = self.take(&Footprint::Table(shape));
        Columns::new(ShapeBuffer { len: shape.elements(), _held: held }, width, log_height)
    }
}

impl<B: StarkBackend> Types for Rehearsed<B> {
    type P = B::P;
    type Buffer = ShapeBuffer;
    type Tree = ShapeTree;
    type Program = Arc<Prepared<B::T>>;
}
