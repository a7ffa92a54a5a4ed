//! Cairo programs from their files to verified proofs. One program: linking all of Cairo is dear.

mod input;
mod statement;
mod verify;
mod witness;
