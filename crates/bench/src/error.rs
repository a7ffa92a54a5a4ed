//! Errors of measuring operations.

use gpu_hal::HalError;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] HalError),
    /// An example whose constraints are measured was refused.
    #[error("the example `{name}` cannot be measured: {source}")]
    Example {
        /// Its AIR.
        name: &'static str,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
