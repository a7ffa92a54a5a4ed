//! The suite that every backend must pass, on the Circle protocol. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

mod generated {
    use backend_cuda::{Cuda, NAME};
    use gpu_hal::{CircleStark, Result};

    fn make() -> Result<Cuda<CircleStark>> {
        backend_cuda::open_circle()
    }

    hal_conformance::circle!(make, NAME);
}

/// Every program interpreted.
mod interpreted {
    use backend_cuda::{Cuda, CudaDevice, NAME, Options};
    use gpu_hal::{CircleStark, Result};
    use hal_conformance::{run, tests};

    fn make() -> Result<Cuda<CircleStark>> {
        let options = Options { generated_operations: Some(0), ..Options::default() };
        Cuda::<CircleStark>::new(NAME, CudaDevice::new(options)?)
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
