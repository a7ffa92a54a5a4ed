//! hal-conformance.
