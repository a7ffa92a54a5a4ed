//! Files that subcommands read: their kinds, the AIRs in them, and what is asked of proofs.

pub(crate) mod air_file;
pub(crate) mod expected;
pub(crate) mod file;
pub(crate) mod input;
pub(crate) mod kinds;
pub(crate) mod policy;
