//! The library and the program, on backends of several kinds. One program: linking all provers is dear.

mod batch;
mod cli;
mod docs;
mod faults;
mod kernels;
mod registry;
