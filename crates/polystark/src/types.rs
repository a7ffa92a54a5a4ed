//! The types that belong to a protocol.

use std::fmt;

use gpu_hal::{GoldilocksStark, Protocol};
use serde::Serialize;

/// The protocol of the command line: Goldilocks with challenges in its cubic extension.
pub type Goldilocks3 = GoldilocksStark;

/// What a protocol's statements, proofs and options are.
pub trait FlavourTypes: Protocol {
    /// Options of a proof.
    type Options: Clone + fmt::Debug + Default + PartialEq;
    /// Options that are given where the others are looked for.
    type Given: Clone + fmt::Debug + Default + PartialEq;
    /// What a request says that no other protocol has.
    type Extras: Clone + fmt::Debug + Default + PartialEq;
    /// A statement.
    type Air: ?Sized + Send + Sync;
    /// The main columns of a statement.
    type Trace: Send + Sync;
    /// What the prover makes.
    type Made;
    /// What a proof takes on a device.
    type Plan: Clone + fmt::Debug;
    /// A statement with its proof.
    type File: Clone + fmt::Debug;
    /// A public input.
    type Public: Clone + fmt::Debug + fmt::Display + PartialEq;
    /// Which options a caller insists on.
    type ExpectOptions: Clone + fmt::Debug + Default + PartialEq;
    /// Which proofs a caller takes.
    type Policy: Default;
    /// Options of a proof, as JSON has them.
    type OptionsView: Serialize + for<'a> From<&'a Self::Options>;

    /// The default options for so many rows: 100 provable bits, where the field leaves them.
    fn default_options(rows: u64) -> Self::Options;
}
