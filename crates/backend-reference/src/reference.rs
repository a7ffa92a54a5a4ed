//! The backend of any protocol.

use std::marker::PhantomData;

use gpu_hal::{Capabilities, ConstraintProgram, HashFn, Operation, Types};

use crate::memory::{Memory, ReferenceBuffer, ReferenceTree};
use crate::protocol::ReferenceProtocol;

/// The reference backend of a protocol: [`gpu_hal::GoldilocksStark`] or [`gpu_hal::CircleStark`]. It has all
/// operations.
#[derive(Debug)]
pub struct CpuReference<P> {
    pub(crate) memory: Memory,
    pub(crate) capabilities: Capabilities,
    protocol: PhantomData<P>,
}

impl<P: ReferenceProtocol> CpuReference<P> {
    /// A backend without a limit on its memory.
    pub fn new() -> Self {
        Self::build(None)
    }

    /// A backend whose buffers and trees hold at most `bytes` bytes; an allocation beyond them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    pub fn with_memory_limit(bytes: u64) -> Self {
        Self::build(Some(bytes))
    }

    fn build(limit: Option<u64>) -> Self {
        Self {
            memory: Memory::new(limit),
            capabilities: Capabilities {
                backend: "cpu-reference".into(),
                device: "host processor, one thread, scalar".into(),
                operations: Operation::ALL.to_vec(),
                hashes: HashFn::ALL.into_iter().filter(|hash| hash.takes::<P::Base>()).collect(),
                max_log_height: P::MAX_LOG_HEIGHT,
                blocks: true,
                at_once: 1,
                stops: false,
            },
            protocol: PhantomData,
        }
    }
}

impl<P: ReferenceProtocol> Default for CpuReference<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: ReferenceProtocol> Types for CpuReference<P> {
    type P = P;
    type Buffer = ReferenceBuffer<P::Base>;
    type Tree = ReferenceTree;
    type Program = ConstraintProgram<P>;
}
