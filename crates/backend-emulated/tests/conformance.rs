//! The suite that every backend must pass, over both fields of challenges.

mod extension {
    use backend_emulated::{Emulated, NAME, device};
    use gpu_hal::{GoldilocksStark, Result};

    fn make() -> Result<Emulated> {
        Emulated::<GoldilocksStark>::new(NAME, device()?)
    }

    hal_conformance::goldilocks!(make, "emulated");
}

mod base {
    use backend_emulated::{Emulated, NAME, device};
    use field::Goldilocks;
    use gpu_hal::{GoldilocksStark, Result};

    fn make() -> Result<Emulated<GoldilocksStark<Goldilocks>>> {
        Emulated::<GoldilocksStark<Goldilocks>>::new(NAME, device()?)
    }

    hal_conformance::goldilocks!(make, "emulated");
}

/// Shared memory for the variants of kernels that take more than every device has.
mod large {
    use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
    use gpu_hal::{GoldilocksStark, Result};
    use hal_conformance::{run, tests};

    fn make() -> Result<Emulated> {
        let options = Options { shared_bytes: 48 << 10, ..Options::default() };
        Emulated::<GoldilocksStark>::new(NAME, EmulatedDevice::new(options)?)
    }

    #[test]
    fn ntt() {
        run(NAME, make, tests::ntt);
    }

    #[test]
    fn lde() {
        run(NAME, make, tests::lde);
    }
}

/// Every program but the longest by a kernel of its own.
mod generated {
    use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
    use gpu_hal::{GoldilocksStark, Result};
    use hal_conformance::{run, tests};

    fn make() -> Result<Emulated> {
        let options = Options { generated_operations: 2_000, ..Options::default() };
        Emulated::<GoldilocksStark>::new(NAME, EmulatedDevice::new(options)?)
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
    fn map() {
        run(NAME, make, tests::map);
    }

    #[test]
    fn prepare() {
        run(NAME, make, tests::prepare);
    }
}
