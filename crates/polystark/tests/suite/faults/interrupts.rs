//! Runs that are interrupted leave no files.
