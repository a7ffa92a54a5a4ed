//! The command line of Polystark with one more backend: `prove --backend toy`, `bench --backend toy`, `backends`.

use std::process::ExitCode;

use gpu_hal::CircleStark;
use polystark::{Device, Driver, Error, Goldilocks3, Place, Registry};
use toy_backend::Toy;

/// Opens toys of 1 GiB.
struct Toys;

impl Driver for Toys {
    fn goldilocks(&self, _: &Place) -> Result<Device<Goldilocks3>, Error> {
        Ok(Device::new(Toy::new(1 << 30)))
    }

    fn circle(&self, _: &Place) -> Result<Device<CircleStark>, Error> {
        Ok(Device::new(Toy::new(1 << 30)))
    }
}

fn main() -> ExitCode {
    polystark::cli::main_with(Registry::default().with("toy", Toys))
}
