//! verifier.
