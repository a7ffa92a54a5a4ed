//! The reference backend: every operation by its definition, scalar, on one thread. It is the yardstick of the other
//! backends, so each function is the formula of the contract and nothing else; only the transforms are O(n log n).

mod circle;
pub(crate) mod circle_fft;
pub(crate) mod circle_quotient;
pub(crate) mod constraints;
mod coset_fft;
mod geometry;
mod goldilocks;
pub(crate) mod grind;
pub(crate) mod merkle;
mod quotient;
pub(crate) mod rows;
mod table;
mod transform;

use std::marker::PhantomData;

use gpu_hal::{Capabilities, HashFn, Operation, Protocol};

use crate::memory::Memory;

/// The reference backend of a protocol: [`gpu_hal::GoldilocksStark`] or [`gpu_hal::CircleStark`]; see
/// [`Capabilities::operations`] for what it has.
#[derive(Debug)]
pub struct CpuReference<P> {
    memory: Memory,
    capabilities: Capabilities,
    protocol: PhantomData<P>,
}

impl<P: Protocol> CpuReference<P> {
    fn build(limit: Option<u64>, operations: &[Operation], hashes: &[HashFn], max_log_height: u32) -> Self {
        Self {
            memory: Memory::new(limit),
            capabilities: Capabilities {
                backend: "cpu-reference".into(),
                device: "host processor, one thread, scalar".into(),
                operations: operations.to_vec(),
                hashes: hashes.to_vec(),
                max_log_height,
            },
            protocol: PhantomData,
        }
    }
}
