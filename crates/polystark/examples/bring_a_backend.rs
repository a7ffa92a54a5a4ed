//! A program of another repository with a backend of its own: the whole command line, with one name more.
//!
//! `cargo run --release -p polystark --example bring_a_backend -- backends`

use std::process::ExitCode;

use polystark::backend_reference::CpuReference;
use polystark::hal::CircleStark;
use polystark::{Device, Driver, Error, Goldilocks3, Place, Registry};

/// Stands for the backend of the other repository.
type Mine<P> = CpuReference<P>;

struct MyDriver;

impl Driver for MyDriver {
    fn goldilocks(&self, _place: &Place) -> Result<Device<Goldilocks3>, Error> {
        Ok(Device::new(Mine::<Goldilocks3>::new()))
    }

    fn circle(&self, _place: &Place) -> Result<Device<CircleStark>, Error> {
        Ok(Device::new(Mine::<CircleStark>::new()))
    }
}

fn main() -> ExitCode {
    polystark::cli::main_with(Registry::default().with("mine", MyDriver))
}

#[cfg(test)]
mod tests {
    use polystark::{circle, goldilocks};

    use super::*;

    fn registry() -> Registry {
        Registry::default().with("mine", MyDriver)
    }

    #[test]
    fn it_is_listed_and_preferred() {
        assert_eq!(registry().names().collect::<Vec<_>>(), ["mine", "cuda", "cpu", "cpu-reference"]);
        let available = registry().available();
        assert_eq!((available[0].name.as_str(), available[0].state.is_ok()), ("mine", true));
        // The name that the backend gives itself.
        let device: goldilocks::Device = registry().open("auto", &Place::default()).unwrap();
        assert_eq!(device.capabilities().backend, "cpu-reference");
    }

    #[test]
    fn it_proves_both_protocols() {
        let device: goldilocks::Device = registry().open("mine", &Place::default()).unwrap();
        let mut request = goldilocks::Request::new("simple-fibonacci", 16);
        request.options.grinding = 1;
        device.prove(&request).unwrap();
        let device: circle::Device = registry().open("mine", &Place::default()).unwrap();
        let mut request = circle::Request::new("fibonacci", 16);
        request.options.pow_bits = 1;
        device.prove(&request).unwrap();
    }
}
