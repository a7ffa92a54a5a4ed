//! Proofs of Circle: their bytes, their verifier, and attempts to forge.

mod channel;
mod codec;
mod defaults;
mod forge;
mod forged;
mod given;
mod gkr;
mod hashes;
mod hostile;
mod preprocessed;
mod python;
mod rounds;
mod suites;
mod verify;
