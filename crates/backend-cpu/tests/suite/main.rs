//! The fast backend: the suite of all backends, golden proofs, the same as a value, and each fast path next to the portable one.

mod circle_proofs;
mod conformance;
mod erased;
mod fast;
