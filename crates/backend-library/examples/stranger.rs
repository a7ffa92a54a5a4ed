//! A shared library that is no backend.

/// A function of nobody's contract.
pub extern "C" fn hello() {}
