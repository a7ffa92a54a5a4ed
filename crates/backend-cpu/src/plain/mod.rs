//! Operations without vector instructions, on one thread.

pub(crate) mod circle_fft;
pub(crate) mod circle_quotient;
pub(crate) mod constraints;
mod coset_fft;
mod geometry;
pub(crate) mod rows;
mod table;
