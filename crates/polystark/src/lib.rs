//! polystark.
