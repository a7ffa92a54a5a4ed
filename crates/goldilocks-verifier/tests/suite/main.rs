//! Tests of the verifier: proofs that it must accept, and everything that it must refuse.

mod accept;
mod bytes;
mod common;
mod compact;
mod fields;
mod forge;
mod key;
mod statement;
mod whole;
