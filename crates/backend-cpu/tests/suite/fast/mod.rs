//! The fast backend against the reference backend: the same bytes from every operation, with every set of vector
//! instructions of this machine, on one and on two threads.

mod circle;
mod columns;
mod compare;
mod programs;
mod quotients;
mod row_programs;
mod setup;
mod stopped;
