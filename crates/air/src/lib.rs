//! air.
