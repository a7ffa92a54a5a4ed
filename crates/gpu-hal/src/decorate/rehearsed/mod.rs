//! A backend of shapes: a prover that runs on it learns the memory that a proof takes of a device, and takes nothing of
//! it.

mod operations;

use alloc::vec::Vec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::op::Cost;
use crate::rehearsal::{PeakLocation, Prepared, Rehearsal, Step};
use crate::{Columns, ConstraintProgram, DeviceBuffer, DeviceTree, Footprint, Operation, Result, StarkBackend, Types};

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

    /// The same with the bytes of others, too.
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

/// Live bytes in the order in which they are taken and released.
#[derive(Debug)]
struct Account {
    live: u64,
    peak: u64,
    peak_at: PeakLocation,
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
struct LiveBytes {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Drop for LiveBytes {
    fn drop(&mut self) {
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_sub(self.bytes);
    }
}

/// A buffer without elements.
#[derive(Debug)]
pub struct ShapeBuffer {
    len: usize,
    _held: LiveBytes,
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
    _held: LiveBytes,
}

impl DeviceTree for ShapeTree {
    fn log_leaves(&self) -> u32 {
        self.log_leaves
    }
}

/// The shapes of tables and trees on `B`'s device. Each counts for its [`StarkBackend::footprint`] of
/// `B`, from when they are made until they are dropped; operations for as long as they run. Values that come to the
/// host are zeros, and the first nonce is found at once. Data are neither asked for nor looked at.
pub struct Rehearsed<B: StarkBackend> {
    pub(super) inner: Arc<B>,
    ledger: Arc<Ledger>,
}

impl<B: StarkBackend> Rehearsed<B> {
    /// Nothing is live yet.
    pub fn new(inner: Arc<B>) -> Self {
        let nowhere = PeakLocation { part: "", operation: Operation::Sync };
        let account = Account { live: 0, peak: 0, peak_at: nowhere, part: "", steps: Vec::new(), log_domain: 0 };
        Self { inner, ledger: Arc::new(Ledger(Mutex::new(account))) }
    }

    /// Names the operations to come, for [`PeakLocation::part`].
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
    fn take(&self, what: &Footprint<'_, B::T>) -> LiveBytes {
        let bytes = self.inner.footprint(what);
        let mut account = self.ledger.lock();
        account.live = account.live.saturating_add(bytes);
        if account.live > account.peak {
            let operation = account.steps.last().map_or(Operation::Sync, |step| step.operation);
            account.peak = account.live;
            account.peak_at = PeakLocation { part: account.part, operation };
        }
        LiveBytes { ledger: self.ledger.clone(), bytes }
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
