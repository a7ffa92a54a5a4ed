//! prover-core.
