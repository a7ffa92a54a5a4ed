//! Text for people.

use gpu_hal::Bytes;

/// A number of bytes for people.
pub(crate) fn bytes(count: u64) -> String {
    format!("{:#}", Bytes(count))
}
