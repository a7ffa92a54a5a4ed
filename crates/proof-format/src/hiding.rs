//! The part of the witness that a proof keeps from its verifier.

/// How a proof hides its witness. A suite names it, so options and files carry it.
///
/// Each place where a hiding adds something takes the value apart (`let Hiding::None = ..`): the prover's commitments
/// (salts), its trace (masks, more rows), the lengths of a proof, and the estimate of its security. Another variant
/// does not compile before all of them name its additions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hiding {
    /// Nothing is hidden: leaves have no salt, the trace has no masks, and openings show rows as they are.
    None,
}
