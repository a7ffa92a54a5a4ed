//! `polystark kernels` of a program that was built without CUDA: it says so, and is no part of the help.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::exit::Failure;
use super::output::Output;
use crate::Registry;

/// Whatever is asked for.
#[derive(Args)]
pub(crate) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _words: Vec<OsString>,
}

impl Arguments {
    /// No file is read.
    pub(super) fn files(&self) -> Vec<(&'static str, &Path)> {
        Vec::new()
    }
}

/// Refuses.
pub(crate) fn run(_: &Arguments, _: &Registry, _: &Output) -> Result<(), Failure> {
    Err(Failure::usage("kernels: this program knows no GPU of NVIDIA's: build it with polystark's feature `cuda`"))
}
