//! Statements that answer as another one does, but for some answers.

use std::error::Error;

use field::{M31, QM31};
use gpu_hal::EvalOrder;

use crate::{
    AirComponent, ClaimedSumError, ConfigError, HostColumns, Mixes, PreprocessedColumn, PublicCount, PublicLookup,
    Statement,
};

/// A statement that answers as another one does, but for the answers that it overrides: a malicious prover believes in
/// one, and the verifier in the other. Programs that make columns are not taken over, for they could bypass a change.
pub trait Altered: Send + Sync {
    /// The other statement.
    fn of(&self) -> &dyn Statement;

    /// [`Statement::mixes`].
    fn mixes(&self) -> Mixes {
        self.of().mixes()
    }

    /// [`Statement::interaction_pow_bits`].
    fn interaction_pow_bits(&self) -> u32 {
        self.of().interaction_pow_bits()
    }

    /// [`Statement::preprocessed_values`].
    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        self.of().preprocessed_values(lifting)
    }

    /// [`Statement::has_bounded_multiplicities`].
    fn has_bounded_multiplicities(&self) -> bool {
        self.of().has_bounded_multiplicities()
    }

    /// [`Statement::components`].
    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        self.of().components(elements)
    }

    /// [`Statement::check_claimed_sums`].
    ///
    /// # Errors
    /// As there.
    fn check_claimed_sums(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        self.of().check_claimed_sums(drawn, claimed)
    }

    /// [`Statement::variant`]; the other statement's is none of this one.
    fn variant(&self) -> Option<Box<dyn Statement>> {
        None
    }
}

impl<A: Altered> Statement for A {
    fn name(&self) -> &str {
        self.of().name()
    }

    fn prepare(&self, goes_on: &dyn Fn() -> bool) -> bool {
        self.of().prepare(goes_on)
    }

    fn words(&self) -> Vec<u32> {
        self.of().words()
    }

    fn mixes(&self) -> Mixes {
        Altered::mixes(self)
    }

    fn interaction_pow_bits(&self) -> u32 {
        Altered::interaction_pow_bits(self)
    }

    fn order(&self) -> EvalOrder {
        self.of().order()
    }

    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        self.of().preprocessed(lifting)
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        Altered::preprocessed_values(self, lifting)
    }

    fn samples_all_preprocessed(&self) -> bool {
        self.of().samples_all_preprocessed()
    }

    fn draws(&self) -> usize {
        self.of().draws()
    }

    fn claims(&self) -> usize {
        self.of().claims()
    }

    fn components(&self, elements: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        Altered::components(self, elements)
    }

    fn interaction(&self, drawn: &[QM31], main: &[Vec<Vec<M31>>]) -> Result<HostColumns, Box<dyn Error + Send + Sync>> {
        self.of().interaction(drawn, main)
    }

    fn interaction_degree(&self) -> Option<u64> {
        self.of().interaction_degree()
    }

    fn has_bounded_multiplicities(&self) -> bool {
        Altered::has_bounded_multiplicities(self)
    }

    fn check_claimed_sums(&self, drawn: &[QM31], claimed: &[QM31]) -> Result<(), ClaimedSumError> {
        Altered::check_claimed_sums(self, drawn, claimed)
    }

    fn public_lookups(&self) -> Vec<PublicLookup> {
        self.of().public_lookups()
    }

    fn public_count(&self) -> PublicCount {
        self.of().public_count()
    }

    fn check_config(&self, log_blowup: u32, lifting: Option<u32>) -> Result<(), ConfigError> {
        self.of().check_config(log_blowup, lifting)
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        Altered::variant(self)
    }
}
