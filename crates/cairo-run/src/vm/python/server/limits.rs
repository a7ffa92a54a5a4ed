//! The bounds of the interpreter, which are the same on every machine.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use field::Bytes;
use monty_types::{ResourceError, ResourceTracker};

/// Bytes that the values of a hint take at most.
const MAX_BYTES: usize = 1 << 26;
/// Calls that a hint makes inside of each other at most.
const MAX_DEPTH: usize = 200;
/// Bytes of a value that is made at once, such as `[0] * n`.
const MAX_AT_ONCE: usize = 1 << 20;
/// Values that the interpreter hands out between two of its instructions, where it counts no steps.
const MAX_OUT: usize = 1 << 19;
/// Bytes that are written in the time of an instruction.
const BYTES_A_STEP: usize = 256;

/// A bound that a hint has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    Steps,
    Memory,
}

/// The steps and bytes that are left to a hint.
#[derive(Debug)]
pub(super) struct Meter {
    steps: Cell<usize>,
    bytes: Cell<usize>,
    met: Cell<Option<Met>>,
    /// Values that were handed out since the interpreter has stopped, while it stands still.
    out: Cell<Option<usize>>,
}

/// The fault of a hint that takes too much memory.
pub(super) fn too_much_memory() -> String {
    format!(
        "it takes more memory than a hint may take, which is {}, and {} for a value that is made at once",
        Bytes(MAX_BYTES as u64),
        Bytes(MAX_AT_ONCE as u64)
    )
}

impl Meter {
    /// So many steps.
    pub(super) fn new(steps: usize) -> Rc<Self> {
        let (steps, bytes, met, out) = (Cell::new(steps), Cell::new(0), Cell::new(None), Cell::new(None));
        Rc::new(Self { steps, bytes, met, out })
    }

    /// The bound that was met, if one was.
    pub(super) fn met(&self) -> Option<Met> {
        self.met.get()
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> usize {
        self.steps.get()
    }

    fn refuse(&self, met: Met) -> ResourceError {
        self.met.set(Some(met));
        match met {
            Met::Memory => ResourceError::Memory { limit: MAX_BYTES, used: self.bytes.get() },
            // The text is not shown.
            Met::Steps => ResourceError::Time { limit: Duration::ZERO, elapsed: Duration::ZERO },
        }
    }

    /// Takes steps.
    pub(super) fn work(&self, steps: usize) -> Result<(), ResourceError> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => {
                self.steps.set(0);
                Err(self.refuse(Met::Steps))
            }
        }
    }
}

/// The meter as the interpreter asks it: before each of its instructions, and for each value that grows.
#[derive(Clone, Debug)]
pub(super) struct Limits(pub(super) Rc<Meter>);

impl ResourceTracker for Limits {
    fn on_free(&self, size: impl FnOnce() -> usize) {
        self.0.bytes.set(self.0.bytes.get().saturating_sub(size()));
    }

    fn check_time(&self) -> Result<(), ResourceError> {
        self.0.work(1)
    }

    fn on_execution_start(&self) {
        self.0.out.set(None);
    }

    fn on_execution_stop(&self) {
        self.0.out.set(Some(0));
    }

    fn check_recursion_depth(&self, depth: usize) -> Result<(), ResourceError> {
        // A value that is written as text asks, too, and takes as long as a few instructions.
        self.0.work(4)?;
        if let Some(out) = self.0.out.get() {
            self.0.out.set(Some(out + 1));
            if out > MAX_OUT {
                return Err(self.0.refuse(Met::Memory));
            }
        }
        if depth < MAX_DEPTH {
            return Ok(());
        }
        Err(ResourceError::Recursion { limit: MAX_DEPTH, depth: depth.saturating_add(1) })
    }

    fn check_large_result(&self, bytes: usize) -> Result<(), ResourceError> {
        if bytes > MAX_AT_ONCE { Err(self.0.refuse(Met::Memory)) } else { self.0.work(bytes / BYTES_A_STEP) }
    }

    fn on_grow(&self, more: impl FnOnce() -> usize) -> Result<(), ResourceError> {
        let more = more();
        let bytes = self.0.bytes.get().saturating_add(more);
        self.0.bytes.set(bytes);
        if bytes > MAX_BYTES {
            return Err(self.0.refuse(Met::Memory));
        }
        self.0.work(more / BYTES_A_STEP)
    }

    fn gc_interval(&self) -> Option<usize> {
        None
    }
}
