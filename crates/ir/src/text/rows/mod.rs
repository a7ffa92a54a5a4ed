//! Kernels of row programs. They have the entry point, the buffers and the results of the interpreter
//! (`kernels/row_programs`), but do not describe a fault. [`cost`] says how long a text is, [`kernel`] writes it,
//! [`Places`] has the layout of a kernel's words.

mod kernel;
mod operations;
mod places;
mod prime;

pub use kernel::{cost, kernel};
pub use places::Places;
pub use prime::{Felt, ONE, PRIME_WORDS, Prime};
