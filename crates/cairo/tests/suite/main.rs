//! Runs of Cairo programs and their proofs. One program: linking all of Cairo is dear.

mod device;
mod statement;
mod variants;
mod verify;
mod witness;
