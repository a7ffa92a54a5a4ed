//! Client proofs: every joint of the chain next to the reference's, and the whole of it. One program: linking the
//! verifier of Cairo is dear.

mod bytes;
mod circuit;
mod edits;
mod files;
mod plans;
mod proofs;
mod runs;
mod statements;
