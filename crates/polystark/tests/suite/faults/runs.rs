//! Runs of Cairo programs that would take more memory or time than there is.
