//! Machines that no code is made for.

use crate::allocate::Allocated;
use crate::cut::Segment;
use crate::error::JitError;
use crate::layout::Layout;

/// There is none.
#[derive(Debug)]
pub(crate) enum Code {}

pub(crate) fn available() -> Result<(), JitError> {
    Err(JitError::NotThisMachine)
}

impl Code {
    pub(crate) fn new(
        segments: &[Segment],
        layout: &Layout,
        allocate: impl Fn(&Segment) -> Allocated + Sync,
    ) -> Result<(Self, Vec<Allocated>), JitError> {
        let _ = (segments, layout, allocate);
        Err(JitError::NotThisMachine)
    }

    pub(crate) unsafe fn call(&self, _: usize, _: [*const u64; 3], _: [*mut u64; 3]) {
        match *self {}
    }
}
