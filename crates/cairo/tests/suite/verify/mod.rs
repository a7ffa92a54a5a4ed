//! Verification of whole proofs, which are the reference's by their digests: accepted as they are, refused with
//! anything changed.

mod edits;
mod extended;
pub(crate) mod files;
mod forgeries;
mod lies;
mod proofs;
mod python;
mod random_edits;
