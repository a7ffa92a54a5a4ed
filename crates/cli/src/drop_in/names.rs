//! The names of the programs. The distribution makes a link of each.

/// In the order of their `main`s.
pub(crate) const NAMES: [&str; 4] = ["stwo-run-and-prove", "stwo-vm-runner", "scarb-prove", "scarb-verify"];
