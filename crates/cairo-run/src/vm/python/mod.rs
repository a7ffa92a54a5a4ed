//! Hints of a program's own, in an embedded interpreter of Python (crate monty, feature `python-hints`).
//!
//! A hint sees `ids`, `memory`, `segments`, `program_input`, `ap`, `fp`, `pc`, `PRIME` and the scopes, and has no
//! files, no network and no clock. Each instruction of the interpreter is a step of the run, its memory is bounded, and
//! what it writes is taken from the run's budget as all that is written.

#[cfg(feature = "python-hints")]
mod code;
#[cfg(feature = "python-hints")]
mod host;
#[cfg(feature = "python-hints")]
mod limits;
#[cfg(not(feature = "python-hints"))]
mod none;
#[cfg(feature = "python-hints")]
mod rewrite;
#[cfg(feature = "python-hints")]
mod scope;
#[cfg(feature = "python-hints")]
mod types;
#[cfg(feature = "python-hints")]
mod value;

#[cfg(feature = "python-hints")]
pub(super) use code::{Code, Python, with_stack};
#[cfg(not(feature = "python-hints"))]
pub(super) use none::{Code, Python, with_stack};
