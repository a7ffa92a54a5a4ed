//! Hints of a program's own, as Python (feature `python-hints`, on Linux).
//!
//! A hint sees `ids`, `memory`, `segments`, `program_input`, `ap`, `fp`, `pc`, `PRIME` and the scopes, and has no
//! files, no network and no clock. It runs in a process of its own ([`server`]), which is started for the hints of one
//! run ([`process`]) and asks the run for what it reads and writes ([`code`]). Each instruction of the interpreter is a
//! step of the run; what it writes is taken from the run's budget as all that is written.

#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod code;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod granted;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod message;
#[cfg(not(all(feature = "python-hints", target_os = "linux")))]
mod none;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod process;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod scope;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod server;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod types;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
mod wire;

#[cfg(all(feature = "python-hints", target_os = "linux"))]
pub(super) use code::{Code, Python};
#[cfg(not(all(feature = "python-hints", target_os = "linux")))]
pub(super) use none::{Code, Python};

#[cfg(all(feature = "python-hints", not(target_os = "linux")))]
pub use none::serve_hints;
#[cfg(all(feature = "python-hints", target_os = "linux"))]
pub use server::serve_hints;
