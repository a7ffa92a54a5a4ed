//! The account of device memory that a plan keeps.

use gpu_hal::{Columns, Footprint, Shape, StarkBackend};

/// Live bytes in the order in which a prover takes and releases them.
pub(crate) struct Ledger<'a, B> {
    backend: &'a B,
    live: u64,
    peak: u64,
    peak_at: &'static str,
}

impl<'a, B: StarkBackend> Ledger<'a, B> {
    pub(crate) fn new(backend: &'a B) -> Self {
        Self { backend, live: 0, peak: 0, peak_at: "" }
    }

    /// Counts something until it is released; gives its bytes.
    pub(crate) fn take(&mut self, at: &'static str, what: Footprint<'_, B>) -> u64 {
        let bytes = self.backend.footprint(&what);
        self.live = self.live.saturating_add(bytes);
        if self.live > self.peak {
            self.peak = self.live;
            self.peak_at = at;
        }
        bytes
    }

    pub(crate) fn table(&mut self, at: &'static str, width: usize, log_height: u32) -> u64 {
        self.take(at, Footprint::Table(shape(width, log_height)))
    }

    pub(crate) fn tree(&mut self, at: &'static str, log_leaves: u32) -> u64 {
        self.take(at, Footprint::Tree { log_leaves })
    }

    /// What an operation takes while it runs; its result counts already.
    pub(crate) fn pass(&mut self, at: &'static str, what: Footprint<'_, B>) {
        let bytes = self.take(at, what);
        self.release(bytes);
    }

    pub(crate) fn release(&mut self, bytes: u64) {
        self.live = self.live.saturating_sub(bytes);
    }

    /// What is live.
    pub(crate) fn live(&self) -> u64 {
        self.live
    }

    /// Counts a peak of its own from here on.
    pub(crate) fn forget_peak(&mut self, at: &'static str) {
        (self.peak, self.peak_at) = (self.live, at);
    }

    /// The highest sum since.
    pub(crate) fn peak(&self) -> u64 {
        self.peak
    }

    /// What was taken when it was reached.
    pub(crate) fn peak_at(&self) -> &'static str {
        self.peak_at
    }
}

/// A table without its elements.
pub(crate) fn shape(width: usize, log_height: u32) -> Shape {
    Columns::new((), width, log_height)
}
