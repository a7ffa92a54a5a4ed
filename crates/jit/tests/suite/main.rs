//! Compiled programs next to the definition of a program's value.

mod random;
mod sums;
