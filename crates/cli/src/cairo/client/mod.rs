//! Starknet's client proofs: `polystark cairo client-prove` and `client-verify`, and such files in `inspect`.

pub(crate) mod input;
pub(super) mod inspect;
pub(super) mod prove;
mod statement;
pub(super) mod verify;
