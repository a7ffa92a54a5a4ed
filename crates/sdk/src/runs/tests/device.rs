//! A device of fixed memory that does something odd with trees.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use backend_cpu::Cpu;
use gpu_hal::decorate::Rehearsed;
use gpu_hal::op::{Op, OutOf};
use gpu_hal::{
    Budget, CancelToken, Capabilities, CircleStark, ConstraintProgram, ErrorKind, Footprint, HalError, MemoryInfo,
    Operation, Operations, PlacementOperations, Types,
};

use super::wait;
use crate::devices::device::Device;

/// More than these tests take.
const ROOM: u64 = 64 << 30;

/// The device does something odd with a tree; the first one is that of the columns.
pub(super) enum Odd {
    /// It counts trees.
    Counts(AtomicUsize),
    /// It fails.
    Fails,
    /// It fails, but once.
    FailsOnce(AtomicBool),
    /// It works until it is stopped, and says that it is at work.
    Waits(AtomicBool),
}

impl Odd {
    pub(super) fn counts() -> Self {
        Self::Counts(AtomicUsize::new(0))
    }

    pub(super) fn fails_once() -> Self {
        Self::FailsOnce(AtomicBool::new(false))
    }

    pub(super) fn waits() -> Self {
        Self::Waits(AtomicBool::new(false))
    }

    /// A device that does this, with more memory than these tests take.
    pub(super) fn device(self) -> (Arc<Self>, Device<CircleStark>) {
        self.device_of(ROOM)
    }

    /// A device that does this, with `bytes` bytes of memory, however much the machine has free.
    pub(super) fn device_of(self, bytes: u64) -> (Arc<Self>, Device<CircleStark>) {
        let odd = Arc::new(self);
        let backend = OddBackend { inner: Cpu::with_memory_limit(bytes), bytes, odd: odd.clone() };
        (odd, Device::new(backend).keeping())
    }

    /// Trees so far, if it counts them.
    pub(super) fn trees(&self) -> usize {
        match self {
            Self::Counts(trees) => trees.load(Ordering::SeqCst),
            Self::Fails | Self::FailsOnce(_) | Self::Waits(_) => 0,
        }
    }

    /// Until the device is at work, if it is one that waits.
    pub(super) fn at_work(&self) {
        if let Self::Waits(works) = self {
            wait(|| works.load(Ordering::SeqCst));
        }
    }

    fn before_a_tree(&self) -> gpu_hal::Result<()> {
        let failure = || Err(HalError::new(ErrorKind::Backend, Operation::Merkle, "it fell into the sea"));
        match self {
            Self::Counts(trees) => drop(trees.fetch_add(1, Ordering::SeqCst)),
            Self::Fails => return failure(),
            Self::FailsOnce(failed) if !failed.swap(true, Ordering::SeqCst) => return failure(),
            Self::FailsOnce(_) => {}
            Self::Waits(works) => {
                works.store(true, Ordering::SeqCst);
                let stop = CancelToken::here();
                wait(|| stop.is_stopped());
            }
        }
        Ok(())
    }
}

type Inner = Cpu<CircleStark>;

struct OddBackend {
    inner: Inner,
    bytes: u64,
    odd: Arc<Odd>,
}

impl PlacementOperations<Inner> for OddBackend {}

/// It has the types of the backend inside, so that arguments pass as they are.
impl Operations for OddBackend {
    type T = Inner;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        Operations::capabilities(&self.inner)
    }

    fn memory(&self) -> gpu_hal::Result<MemoryInfo> {
        let info = Operations::memory(&self.inner)?;
        Ok(MemoryInfo { available: Some(self.bytes.saturating_sub(info.in_use)), ..info })
    }

    fn budget(&self) -> &Budget {
        Operations::budget(&self.inner)
    }

    fn footprint(&self, of: &Footprint<'_, Inner>) -> u64 {
        Operations::footprint(&self.inner, of)
    }

    fn perform<O: Op>(&self, mut args: O::Args<'_, Inner>) -> gpu_hal::Result<OutOf<O, Inner>> {
        if O::NAME == Operation::Merkle {
            self.odd.before_a_tree()?;
        }
        O::run(&mut args, &self.inner)
    }

    fn prepare(&self, program: &ConstraintProgram<CircleStark>) -> gpu_hal::Result<<Inner as Types>::Program> {
        Operations::prepare(&self.inner, program)
    }
}
