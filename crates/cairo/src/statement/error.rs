//! Why there is no statement about a run.

use crate::verify::VerifyError;

/// What is wrong with a run that is to be proven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An address is not one of the memory's.
    #[error(
        "{what} is at address {address}, the memory of the run has the addresses 1 to {last}: run the program again, in proof mode"
    )]
    Address {
        /// What is there.
        what: String,
        /// The address.
        address: u32,
        /// The highest address that there is.
        last: usize,
    },
    /// An id belongs to no value.
    #[error("address {address} has the id {id:#x}, which belongs to no value: the memory of the run is damaged")]
    Id {
        /// The address.
        address: u32,
        /// The id.
        id: u32,
    },
    /// A value is not the pointer that it should be.
    #[error(
        "{what}, at address {address}, is no number below 2^31: main must take and return a pointer for each of its builtins"
    )]
    Pointer {
        /// Which pointer.
        what: String,
        /// Its address.
        address: u32,
    },
    /// The registers at both ends leave no room for what proof mode puts there.
    #[error("the run is not one in proof mode: {0}")]
    Shape(&'static str),
    /// The context lacks the output builtin.
    #[error("the program has no output builtin: list `output` first among its builtins")]
    NoOutput,
    /// The salt is no number of the field.
    #[error("the salt {0} is not below 2^31 - 1: take another")]
    Salt(u32),
    /// A proof about the run would be refused.
    #[error("no proof of the run would be accepted: {0}")]
    Refused(#[from] Box<VerifyError>),
}
