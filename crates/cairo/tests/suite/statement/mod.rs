//! The statement about a run next to the vectors of the reference: claims, transcripts, proofs, and runs of which there is none.

mod claims;
mod damaged;
mod proofs;
mod transcripts;
mod vectors;
