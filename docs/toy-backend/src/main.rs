//! The command line of Polystark with one more backend: `prove --backend toy`, `bench --backend toy`, `backends`.

use std::process::ExitCode;

use polystark::{DeviceOptions, Error, OpenBackend, Registry};
use toy_backend::{Toy, ToyProtocol};

/// A toy of 1 GiB.
fn open<P: ToyProtocol>(_: &DeviceOptions) -> Result<OpenBackend<P>, Error> {
    Ok(OpenBackend::new(Toy::new(1 << 30)))
}

fn main() -> ExitCode {
    polystark::cli::main_with(Registry::shipped().with("toy", (open, open)))
}
