//! The statement about a run next to the vectors of the reference: claims, transcripts, proofs, runs of which there is
//! none, and forgeries.

mod channels;
mod claims;
mod damaged;
mod digests;
mod forged;
mod proofs;
mod transcripts;
mod vectors;
