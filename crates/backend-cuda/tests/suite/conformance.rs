//! The suite that every backend must pass, of both protocols. Skipped without a device, unless
//! `POLYSTARK_REQUIRE_BACKEND=cuda`.

mod goldilocks {
    use backend_cuda::NAME;
    use gpu_hal::GoldilocksStark;

    hal_conformance::goldilocks!(backend_cuda::open::<GoldilocksStark>, NAME);
}

/// Challenges from the base field.
mod goldilocks_base {
    use backend_cuda::NAME;
    use field::Goldilocks;
    use gpu_hal::GoldilocksStark;

    hal_conformance::goldilocks!(backend_cuda::open::<GoldilocksStark<Goldilocks>>, NAME);
}

mod circle {
    use backend_cuda::NAME;
    use gpu_hal::CircleStark;

    hal_conformance::circle!(backend_cuda::open::<CircleStark>, NAME);
}

/// Every program interpreted.
mod interpreted {
    use backend_cuda::{Cuda, CudaDevice, NAME, Options};
    use gpu_hal::{CircleStark, GoldilocksStark, Result};
    use gpu_runtime::GpuProtocol;
    use hal_conformance::run;

    fn make<P: GpuProtocol>() -> Result<Cuda<P>> {
        Cuda::new(
            NAME,
            CudaDevice::new(Options {
                generated_operations: Some(0),
                generated_row_words: Some(0),
                ..Options::default()
            })?,
        )
    }

    #[test]
    fn constraint_eval() {
        run(NAME, make::<GoldilocksStark>, "constraint_eval");
        run(NAME, make::<CircleStark>, "constraint_eval");
    }

    #[test]
    fn rows() {
        run(NAME, make::<GoldilocksStark>, "rows");
        run(NAME, make::<CircleStark>, "rows");
    }

    #[test]
    fn running() {
        run(NAME, make::<GoldilocksStark>, "running");
        run(NAME, make::<CircleStark>, "running");
    }
}
