//! The bounds of the interpreter.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use field::Bytes;
use monty_types::{ResourceError, ResourceTracker};

/// Bytes that the values of a hint take at most.
const MAX_BYTES: usize = 1 << 28;
/// Calls that a hint makes inside of each other at most.
const MAX_DEPTH: usize = 200;
/// Bytes of a value that is made at once, such as `[0] * n`. An operation on two such numbers takes a few seconds.
const MAX_AT_ONCE: usize = 1 << 20;
/// Instructions between two looks at the clock.
const LOOK_AFTER: usize = 1 << 14;
/// Time that the hints of a run take at most: the last resort, where an instruction takes far longer than others.
const MAX_TIME: Duration = Duration::from_secs(120);

/// A bound that a hint has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    Steps,
    Memory,
    Time,
}

impl Met {
    /// What a hint did.
    pub(super) fn text(self) -> String {
        match self {
            Self::Steps => "it does not end".into(),
            Self::Memory => format!(
                "it takes more memory than a hint may take, which is {}, and {} for a value that is made at once",
                Bytes(MAX_BYTES as u64),
                Bytes(MAX_AT_ONCE as u64)
            ),
            Self::Time => format!("hints take more than {} seconds", MAX_TIME.as_secs()),
        }
    }
}

/// What is left to a hint.
#[derive(Debug)]
pub(super) struct Meter {
    steps: Cell<usize>,
    bytes: Cell<usize>,
    begun: Instant,
    time: Duration,
    met: Cell<Option<Met>>,
}

impl Meter {
    /// So many steps, when the hints before have taken so much time.
    pub(super) fn new(steps: usize, spent: Duration) -> Rc<Self> {
        Rc::new(Self {
            steps: Cell::new(steps),
            bytes: Cell::new(0),
            begun: Instant::now(),
            time: MAX_TIME.saturating_sub(spent),
            met: Cell::new(None),
        })
    }

    /// The bound that was met, if one was.
    pub(super) fn met(&self) -> Option<Met> {
        self.met.get()
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> usize {
        self.steps.get()
    }

    /// The time that the hint has taken.
    pub(super) fn spent(&self) -> Duration {
        self.begun.elapsed()
    }

    fn refuse(&self, met: Met) -> ResourceError {
        self.met.set(Some(met));
        match met {
            Met::Memory => ResourceError::Memory { limit: MAX_BYTES, used: self.bytes.get() },
            Met::Steps | Met::Time => ResourceError::Time { limit: self.time, elapsed: self.time },
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
        self.0.work(1)?;
        if self.0.left().is_multiple_of(LOOK_AFTER) && self.0.spent() > self.0.time {
            return Err(self.0.refuse(Met::Time));
        }
        Ok(())
    }

    fn check_recursion_depth(&self, depth: usize) -> Result<(), ResourceError> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        Err(ResourceError::Recursion { limit: MAX_DEPTH, depth: depth.saturating_add(1) })
    }

    fn check_large_result(&self, bytes: usize) -> Result<(), ResourceError> {
        if self.0.spent() > self.0.time {
            return Err(self.0.refuse(Met::Time));
        }
        if bytes > MAX_AT_ONCE { Err(self.0.refuse(Met::Memory)) } else { Ok(()) }
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

/// Bytes that are written in the time of an instruction.
const BYTES_A_STEP: usize = 256;
