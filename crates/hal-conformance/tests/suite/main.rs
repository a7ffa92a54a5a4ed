//! The suite of all backends: it can fail, and a session of it that Miri runs.

mod session;
mod suite_can_fail;
