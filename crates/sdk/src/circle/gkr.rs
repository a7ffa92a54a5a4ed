//! GKR for lookups: products and sums of fractions over columns, an argument of its own (`docs/protocol/gkr.md`).
//!
//! ```
//! # use std::ops::ControlFlow;
//! # use polystark_sdk as polystark;
//! use polystark::circle::Device;
//! use polystark::circle::gkr::{ColumnsDigest, Instance, Kind, Suite, Trees, columns_of_gate, prove};
//! use polystark::field::{Field, M31};
//!
//! // The product of two elements, each of four columns.
//! let columns = vec![vec![vec![M31::ONE, M31::ONE.double()]; 4]];
//! let mut digest = ColumnsDigest::default();
//! columns[0].iter().for_each(|column| digest.column(column));
//! let instances = vec![Instance { kind: Kind::GrandProduct, variables: 1 }];
//! let trees = Trees { suite: Suite::Blake2s, instances, columns: digest.finish() };
//!
//! let device = Device::open("cpu", Some(1))?;
//! let file = prove(&device, trees, &columns, &|_| ControlFlow::Continue(()))?;
//! assert!(file.verify_on(|_| columns_of_gate(Kind::GrandProduct, &columns[0])).is_ok());
//! # Ok::<(), polystark::Error>(())
//! ```

pub use circle_proof::Suite;
pub use circle_proof::gkr::{
    ColumnsDigest, GkrFile, MAX_TREES, RefusedError, Trees, columns_of_gate, zero_denominator,
};
use field::M31;
pub use prover_core::circle::gkr::{DeviceLayer, GkrError, Plan, Prover, prove_batch};
pub use sumcheck::MAX_VARIABLES;
pub use sumcheck::gkr::{Gate, Instance, Kind};

use super::Device;
use crate::error::{Class, Error, KindError};
use crate::stage::{Follow, Following, Stage};

/// Proves trees over these base columns, by tree, numerators first, and verifies the proof. `trees` has the digest of
/// the columns ([`ColumnsDigest`]).
///
/// # Errors
/// As [`Prover::new`] and [`Prover::prove`]: what does not fit the device's memory is refused before any work.
pub fn prove<C: AsRef<[M31]> + Sync>(
    device: &Device,
    trees: Trees,
    columns: &[Vec<C>],
    follow: &Follow<'_>,
) -> Result<GkrFile, Error> {
    let prover = Prover::new(device.backend().clone(), trees);
    prover.and_then(|prover| prover.prove(columns, &Following(follow))).map_err(|error| match error {
        GkrError::Memory(error) => Error::Memory(error),
        GkrError::Device(error) => Error::Backend(error),
        GkrError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
        error => error.into(),
    })
}

impl KindError for GkrError {
    fn class(&self) -> Class {
        match self {
            Self::Wrong(_) | Self::Refused(_) => Class::Device,
            // The rest, present and future, is about the columns.
            _ => Class::Input,
        }
    }
}
