//! The conformance suite at full size.

/// 1 GiB.
const CAPACITY: u64 = 1 << 30;

mod goldilocks {
    use gpu_hal::{GoldilocksStark, Result};
    use toy_backend::Toy;

    fn toy() -> Result<Toy<GoldilocksStark>> {
        Ok(Toy::new(super::CAPACITY))
    }

    hal_conformance::goldilocks!(toy, "toy");
}

mod circle {
    use gpu_hal::{CircleStark, Result};
    use toy_backend::Toy;

    fn toy() -> Result<Toy<CircleStark>> {
        Ok(Toy::new(super::CAPACITY))
    }

    hal_conformance::circle!(toy, "toy");
}
