//! The program as its users see it: arguments, exit codes, files, output.

mod air_files;
mod bench;
mod cairo;
mod cairo_batch;
mod cairo_tasks;
mod circle;
mod circle_bench;
pub(crate) mod common;
mod devices;
mod digests;
#[cfg(unix)]
mod drop_in;
mod exit_codes;
mod expectations;
mod files;
mod gkr;
#[cfg(target_os = "linux")]
mod hostile;
mod library;
mod output;
#[cfg(target_os = "linux")]
mod outputs;
mod policies;
mod soak;
mod traces;
