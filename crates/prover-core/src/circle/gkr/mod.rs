//! GKR for grand products and LogUp on a device: gkr.md over any [`StarkBackend`].
//!
//! A [`Prover`] makes proofs of columns on the host: it plans their memory before, and verifies them before it returns
//! them. [`prove_batch`] makes them of tables on a device, without either. Both make the proofs of `sumcheck::gkr`,
//! byte for byte.
//!
//! A tree's layers are one [`tree_map`](StarkBackend::tree_map), whose rows have the children of their nodes beside
//! each other; a round is a [`sum`](StarkBackend::sum) of the program of the gate, and a
//! [`bind`](StarkBackend::bind). A gate is a program: another one needs no kernel. Layers of few nodes are computed on
//! the host.

mod arithmetic;
mod batch;
mod eq;
mod error;
mod layers;
mod nodes;
mod programs;
mod prover;

use field::QM31;
use gpu_hal::{CircleStark, StarkBackend, TableRef};
use sumcheck::gkr::{Instance, Kind, LayerError, Proven};
use sumcheck::{Channel, MAX_VARIABLES};

use self::arithmetic::DEGREE;
use self::batch::Run;
use crate::mode::OnDevice;
use crate::observer::Silent;

pub use self::error::GkrError;
pub use self::prover::{Plan, Prover};

/// The columns below a tree, on a device: one table, numerators first, each element as its coordinates.
pub struct DeviceLayer<'a, B: StarkBackend> {
    /// The gate of the tree, and its columns.
    pub kind: Kind,
    /// The columns: numerators, if the kind has any, then factors or denominators.
    pub columns: TableRef<'a, B::T>,
}

/// Proves a batch of trees over columns on a device, as [`sumcheck::gkr::prove_batch`]. The columns are mixed, by their
/// commitment, before.
///
/// The memory is that of all layers of all trees, several times that of their columns; it is not promised before. A
/// device that computes wrongly may give a proof that a verifier refuses, or that is about other columns: the caller
/// verifies it, claims included. [`Prover::prove`] does both.
///
/// # Errors
/// [`GkrError`].
pub fn prove_batch<B: StarkBackend<P = CircleStark>>(
    on: &B,
    batch: &[DeviceLayer<'_, B>],
    channel: &mut dyn Channel<QM31>,
) -> Result<Proven<QM31>, GkrError> {
    let mut instances = Vec::with_capacity(batch.len());
    for (instance, DeviceLayer { kind, columns }) in batch.iter().enumerate() {
        let (expected, found) = (kind.base_columns(DEGREE), columns.width);
        if found != expected {
            return Err(GkrError::Columns { instance, kind: *kind, expected, found });
        }
        instances.push(Instance { kind: *kind, variables: columns.log_height as usize });
    }
    check(&instances)?;
    let run = Run { mode: OnDevice::Proof, on, instances: &instances, observer: &Silent };
    run.prove(channel, |tree, make| make(batch[tree].columns))
}

/// Refuses shapes that no trees have.
fn check(instances: &[Instance]) -> Result<(), LayerError> {
    for (instance, of) in instances.iter().enumerate() {
        if !(1..=MAX_VARIABLES).contains(&of.variables) {
            let length = 1usize.checked_shl(of.variables as u32).unwrap_or(0);
            return Err(LayerError::Length { instance, length });
        }
    }
    if instances.is_empty() { Err(LayerError::Empty) } else { Ok(()) }
}
