//! Kernels of constraint programs. They have the entry points, buffers and results of the interpreter
//! (`kernels/interpreter.h`), and run several times as fast. A compiler takes seconds for a thousand operations, so a
//! long program has several kernels, which run one after the other.
//!
//! [`encode`] makes instructions of a schedule and of the uses of its outputs. [`cut`] makes pieces of these, and
//! [`kernel`] the text of each. [`Key`] tells which runs have equal texts.

mod cut;
mod encode;
mod encoded;
mod kernel;
mod key;
mod part;
mod piece;
mod run;
mod values;

pub use cut::{Cut, cut};
pub use encode::{encode, register_words};
pub use encoded::{Encoded, NONE, Sink};
pub use kernel::kernel;
pub use key::Key;
pub use part::{Parameters, parameters};
pub use piece::Piece;
pub use run::{GROUP_WORDS, LOAD_WORDS, Purpose, Run, bound_place};
