//! The suite that every backend must pass, on the Circle protocol.

mod interpreted {
    use backend_emulated::{Emulated, NAME, device};
    use gpu_hal::{CircleStark, Result};

    fn make() -> Result<Emulated<CircleStark>> {
        Emulated::<CircleStark>::new(NAME, device()?)
    }

    hal_conformance::circle!(make, "emulated");
}

/// Every program but the longest by a kernel of its own.
mod generated {
    use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
    use gpu_hal::{CircleStark, Result};
    use hal_conformance::{run, tests};

    fn make() -> Result<Emulated<CircleStark>> {
        let options = Options { generated_operations: 4_000, ..Options::default() };
        Emulated::<CircleStark>::new(NAME, EmulatedDevice::new(options)?)
    }

    #[test]
    fn constraint_eval() {
        run(NAME, make, tests::constraint_eval);
    }

    #[test]
    fn running() {
        run(NAME, make, tests::running);
    }

    #[test]
    fn logup() {
        run(NAME, make, tests::logup);
    }

    #[test]
    fn map() {
        run(NAME, make, tests::map);
    }

    #[test]
    fn tree_map() {
        run(NAME, make, tests::tree_map);
    }
}
