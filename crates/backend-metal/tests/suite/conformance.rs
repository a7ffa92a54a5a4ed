//! The suite that every backend must pass: through the encoder, the recorded commands, and the kernels in Metal's
//! dialect.

use crate::mock::{Faults, Mock, options};
use gpu_hal::Result;
use gpu_runtime::{GpuBackend, GpuProtocol};

fn interpreted<P: GpuProtocol>() -> Result<GpuBackend<backend_metal::MetalDevice<Mock>, P>> {
    crate::mock::backend(options(0), Faults::default())
}

mod goldilocks {
    use gpu_hal::GoldilocksStark;

    hal_conformance::goldilocks!(crate::conformance::interpreted::<GoldilocksStark>, "metal");
}

mod circle {
    use gpu_hal::CircleStark;

    hal_conformance::circle!(crate::conformance::interpreted::<CircleStark>, "metal");
}

/// Constraint programs by kernels of their own.
mod generated {
    use gpu_hal::{CircleStark, GoldilocksStark};

    use crate::mock::{Faults, options};

    #[test]
    fn goldilocks() {
        let make = || crate::mock::backend::<GoldilocksStark>(options(4_000), Faults::default());
        hal_conformance::run("metal", make, "constraint_eval");
    }

    #[test]
    fn circle() {
        let make = || crate::mock::backend::<CircleStark>(options(4_000), Faults::default());
        hal_conformance::run("metal", make, "tree_map");
    }
}
