//! Circle group.
