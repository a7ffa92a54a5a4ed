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
