//! Verification of files, and the demands on them.

pub(crate) mod expect;
pub(crate) mod mismatch;
pub(crate) mod report;
pub(crate) mod verify;
