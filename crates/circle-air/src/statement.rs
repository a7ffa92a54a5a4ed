//! What a proof is about.

use field::M31;
use gpu_hal::Recurrence;
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;

use crate::{AirComponent, ClaimedSumError, ConfigError, TableProgram};

/// A column of tree 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreprocessedColumn {
    /// Its name, by which components ask for it.
    pub id: PreProcessedColumnId,
    /// Log2 of its rows.
    pub log_size: u32,
}

impl PreprocessedColumn {
    /// A column.
    pub fn new(id: &str, log_size: u32) -> Self {
        Self { id: PreProcessedColumnId { id: id.to_owned() }, log_size }
    }
}

/// What prover and verifier both know of a proof: sizes, public values, preprocessed columns, components. How it enters the
/// transcript is the envelope of section 17 of the Circle protocol.
pub trait Statement: Send + Sync {
    /// Name of the family.
    fn name(&self) -> &str;

    /// Mixed into the transcript after the configuration: the family's number, the sizes, the public values.
    fn words(&self) -> Vec<u32>;

    /// The columns of tree 0, in order. `lifting` is the configuration's `lifting_log_size`: with it the tree must not be empty.
    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn>;

    /// The values of [`Self::preprocessed`], in the order of the rows.
    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>>;

    /// How a device makes [`Self::preprocessed_values`] without the host: a recurrence for each column. `None`: not all are recurrences,
    /// or nobody wrote them down.
    fn preprocessed_program(&self, _lifting: Option<u32>) -> Option<Vec<Recurrence<M31>>> {
        None
    }

    /// How a device makes an honest trace: a program for each component. `None`: only the host can, or nobody wrote it down.
    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        None
    }

    /// How many extension elements are drawn after tree 1: 0, and there is no tree 2; or 2, `z` and `alpha` of the lookups.
    fn draws(&self) -> usize;

    /// The components in order, given [`Self::draws`] elements. Their number and shape must not depend on the elements.
    ///
    /// # Panics
    /// An implementation may panic if `drawn` has not [`Self::draws`] elements.
    fn components(&self, drawn: &[SecureField]) -> Vec<Box<dyn AirComponent>>;

    /// Whether the claimed sums, one for each component with lookups in order, are what the statement requires.
    ///
    /// # Errors
    /// [`ClaimedSumError`] if they are not.
    fn check_claimed_sums(&self, drawn: &[SecureField], sums: &[SecureField]) -> Result<(), ClaimedSumError>;

    /// What the statement itself requires of a configuration, beyond [`crate::RecordedStatement::check_config`].
    ///
    /// # Errors
    /// [`ConfigError`] if it cannot be proven with it.
    fn check_config(&self, config: &PcsConfig) -> Result<(), ConfigError>;

    /// A statement of the same shape in which every public value is another: constants that differ between the two are
    /// parameters of the programs, so that they serve all public values. `None` if the components depend on none.
    fn variant(&self) -> Option<Box<dyn Statement>>;
}
