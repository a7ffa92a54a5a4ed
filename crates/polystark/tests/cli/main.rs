//! The program as its users see it: arguments, exit codes, files, output.

mod bench;
mod circle;
mod circle_bench;
#[cfg(target_os = "linux")]
mod claims;
mod common;
mod devices;
mod digests;
mod exit_codes;
mod expectations;
mod files;
mod output;
#[cfg(target_os = "linux")]
mod outputs;
mod traces;
