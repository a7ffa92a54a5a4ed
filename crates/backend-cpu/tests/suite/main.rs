//! The fast backend: the suite of all backends, golden proofs, and each fast path next to the portable one.

mod circle_proofs;
mod conformance;
mod fast;
mod goldilocks_proofs;
