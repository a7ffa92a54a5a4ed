//! GKR for lookups: products and sums of fractions over columns, an argument of its own (`docs/protocol/gkr.md`).
//!
//! ```
//! # use polystark_sdk as polystark;
//! use polystark::circle::Device;
//! use polystark::circle::gkr::{ColumnsDigest, GkrRequest, Instance, Kind, Suite, Trees, columns_of_gate};
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
//! let file = device.prove(&GkrRequest { trees, columns: &columns })?;
//! assert!(file.verify_on(|_| columns_of_gate(Kind::GrandProduct, &columns[0])).is_ok());
//! # Ok::<(), polystark::Error>(())
//! ```

pub use circle_proof::Suite;
pub use circle_proof::gkr::{
    ColumnsDigest, GkrFile, MAX_TREES, RefusedError, Trees, columns_of_gate, zero_denominator,
};
use field::M31;
use gpu_hal::CircleStark;
pub use prover_core::circle::gkr::{DeviceLayer, GkrError, Plan, Prover, prove_batch};
pub use sumcheck::MAX_VARIABLES;
pub use sumcheck::gkr::{Gate, Instance, Kind};

use super::Device;
use crate::devices::backend::AnyBackend;
use crate::error::{Class, Error, KindError};
use crate::stage::{Follow, Following, Stage};
use crate::statements::statement::{Ready, Statement};

/// Trees over base columns, by tree, numerators first. If they do not fit the device's memory they are refused before
/// any work.
#[derive(Debug)]
pub struct GkrRequest<'a, C> {
    /// The trees, with the digest of the columns ([`ColumnsDigest`]).
    pub trees: Trees,
    /// The columns.
    pub columns: &'a [Vec<C>],
}

/// The trees, ready on a device.
pub struct ReadyTrees<'a, C> {
    prover: Prover<AnyBackend<CircleStark>>,
    columns: &'a [Vec<C>],
}

impl<C: AsRef<[M31]> + Sync> GkrRequest<'_, C> {
    fn prover(&self, device: &Device) -> Result<Prover<AnyBackend<CircleStark>>, Error> {
        Prover::new(device.backend().clone(), self.trees.clone()).map_err(named)
    }
}

impl<C: AsRef<[M31]> + Sync> Statement<CircleStark> for GkrRequest<'_, C> {
    type Plan = Plan;
    type Proven = GkrFile;
    type Ready<'a>
        = ReadyTrees<'a, C>
    where
        Self: 'a;

    fn plan(&self, device: &Device) -> Result<Plan, Error> {
        Ok(self.prover(device)?.plan().clone())
    }

    fn ready<'a>(&'a self, device: &'a Device) -> Result<ReadyTrees<'a, C>, Error> {
        Ok(ReadyTrees { prover: self.prover(device)?, columns: self.columns })
    }
}

impl<C: AsRef<[M31]> + Sync> Ready for ReadyTrees<'_, C> {
    type Proven = GkrFile;

    fn prove(&self, follow: &Follow<'_>) -> Result<GkrFile, Error> {
        self.prover.prove(self.columns, &Following(follow)).map_err(named)
    }
}

fn named(error: GkrError) -> Error {
    match error {
        GkrError::Memory(error) => Error::Memory(error),
        GkrError::Device(error) => Error::Backend(error),
        GkrError::Cancelled(cancelled) => Error::Cancelled(Stage::Prove(cancelled.phase)),
        error => error.into(),
    }
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
