//! The reference: the suite of all backends, and its operations by their definitions.

mod conformance;
mod contract;
mod operations;
