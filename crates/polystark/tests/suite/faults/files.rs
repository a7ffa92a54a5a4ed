//! Trace files and AIR files.
