//! A statement that is proven again and again to be measured, of either protocol.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gpu_hal::HalError;
use gpu_hal::erased::Device;
use gpu_hal::rehearsal::Step;
use prover_core::Phase;
use serde::Serialize;

use crate::measurable::Measurable;

/// The proof that went through all checks.
pub struct First<F> {
    /// The statement with the proof.
    pub file: Vec<u8>,
    /// The reported facts: options, security, and the proof.
    pub facts: F,
    /// Highest memory in use, as planned, tables that are made once included.
    pub planned_peak_bytes: u64,
    /// How long the verifier took.
    pub verify: Duration,
    /// The operations of the proof, as a rehearsal has them.
    pub steps: Vec<Step>,
    /// The nonce of the proof; 0 if it has none.
    pub nonce: u64,
}

/// A statement made ready on a backend, its trace built if the device does not make it.
pub struct Ready<'a, E> {
    /// How long the statement took to be made ready, without its trace.
    pub preparation: Duration,
    /// Proves it.
    pub prove: &'a Prove<'a, E>,
}

/// Proves; calls the argument where a phase begins.
pub type Prove<'a, E> = dyn Fn(&dyn Fn(Phase)) -> Result<(), E> + 'a;

/// A statement with its options.
pub trait Subject {
    /// Its protocol.
    type P: Measurable;
    /// Options, security and proof: fields of the report.
    type Facts: Serialize;
    /// Why it is not proven.
    type Error: From<HalError>;

    /// Name of its AIR.
    fn air(&self) -> &str;

    /// Rows of its trace.
    fn rows(&self) -> u64;

    /// Parameters of its AIR.
    fn parameters(&self) -> BTreeMap<String, u64>;

    /// Whether the device makes the trace; else it is uploaded.
    fn is_generated(&self) -> bool;

    /// Memory that it takes and that there is, if that is why it was not proven.
    fn missing_memory(error: &Self::Error) -> Option<(u64, u64)>;

    /// Proves and verifies.
    ///
    /// # Errors
    /// If there is no valid proof.
    fn first(&self, backend: &Arc<Device<Self::P>>) -> Result<First<Self::Facts>, Self::Error>;

    /// Verifies a file.
    ///
    /// # Errors
    /// If it is not valid.
    fn verify(&self, file: &[u8]) -> Result<(), Self::Error>;

    /// Makes the statement ready and does something with it.
    ///
    /// # Errors
    /// If it cannot be proven, and the errors of `then`.
    fn with_ready<T>(
        &self,
        backend: &Arc<Device<Self::P>>,
        then: impl FnOnce(&Ready<'_, Self::Error>) -> Result<T, Self::Error>,
    ) -> Result<T, Self::Error>;
}
