//! Limits of the process of the hints, which it and the run know.

/// The only argument of a program that is to serve hints.
pub(super) const SERVE: &str = "--serve-hints-in-python";
/// Bytes of addresses that the process takes at most, beside what it has when it starts.
pub(super) const MEMORY: u64 = 1 << 28;

/// Seconds of processor time in which so many hints must end.
pub(super) fn seconds(hints: u64) -> u64 {
    10 + hints / 10_000
}
