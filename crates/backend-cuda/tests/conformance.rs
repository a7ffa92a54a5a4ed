//! The suite that every backend must pass, over both fields of challenges. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

mod extension {
    use backend_cuda::{Cuda, NAME};
    use gpu_hal::Result;

    fn make() -> Result<Cuda> {
        backend_cuda::open()
    }

    hal_conformance::goldilocks!(make, NAME);
}

mod base {
    use backend_cuda::{Cuda, NAME};
    use field::Goldilocks;
    use gpu_hal::{GoldilocksStark, Result};

    fn make() -> Result<Cuda<GoldilocksStark<Goldilocks>>> {
        backend_cuda::open()
    }

    hal_conformance::goldilocks!(make, NAME);
}

/// Every program interpreted.
mod interpreted {
    use backend_cuda::{Cuda, CudaDevice, NAME, Options};
    use gpu_hal::{GoldilocksStark, Result};
    use hal_conformance::{run, tests};

    fn make() -> Result<Cuda> {
        let options = Options { generated_operations: Some(0), ..Options::default() };
        Cuda::<GoldilocksStark>::new(NAME, CudaDevice::new(options)?)
    }

    #[test]
    fn constraint_eval() {
        run(NAME, make, tests::constraint_eval);
    }

    #[test]
    fn running() {
        run(NAME, make, tests::running);
    }
}
