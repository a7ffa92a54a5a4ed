//! The suite on the reference backend against itself: what it shows is that the suite runs, that the reference refuses what it
//! must, counts its memory, and is a function of its arguments.

mod goldilocks {
    use backend_reference::CpuReference;
    use gpu_hal::{GoldilocksStark, Result};

    fn make() -> Result<CpuReference<GoldilocksStark>> {
        Ok(CpuReference::<GoldilocksStark>::new())
    }

    hal_conformance::goldilocks!(make, "cpu-reference");
}

mod goldilocks_without_extension {
    use backend_reference::CpuReference;
    use field::Goldilocks;
    use gpu_hal::{GoldilocksStark, Result};

    fn make() -> Result<CpuReference<GoldilocksStark<Goldilocks>>> {
        Ok(CpuReference::<GoldilocksStark<Goldilocks>>::new())
    }

    hal_conformance::goldilocks!(make, "cpu-reference", reference = make);
}

mod circle {
    use backend_reference::CpuReference;
    use gpu_hal::CircleStark;

    hal_conformance::circle!(|| Ok(CpuReference::<CircleStark>::new()), "cpu-reference");
}
