//! Sum-checks and GKR: stwo's bytes, claims that are true, and proofs that are refused.

mod forged;
mod gkr;
mod sumcheck;
