//! The outcomes of cases.

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was refused, or the backends agreed.
    Passed,
    /// It was taken, as the change may be where no proof is about it: a program is another program.
    Taken,
    /// Nothing was changed, or nothing that says anything else.
    Original,
    /// Accepted, with another nonce that does the same work and leads to the same queries, or under the same nonce with
    /// another number of bits that nothing binds. This is no forgery: nonces are not unique.
    Nonce,
    /// A changed proof was accepted: a defect.
    Accepted,
}
