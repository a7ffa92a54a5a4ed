//! Starknet's client proofs: `polystark cairo client-prove` and `client-verify`, and such files in `inspect`.

#[cfg(feature = "client-prove")]
pub(crate) mod input;
pub(super) mod inspect;
#[cfg(feature = "client-prove")]
pub(super) mod prove;
mod statement;
pub(super) mod verify;
