//! The program as its users see it: arguments, exit codes, files, output.

mod common;
mod digests;
mod exit_codes;
mod expectations;
mod files;
mod output;
