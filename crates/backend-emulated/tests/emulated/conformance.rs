//! The suite that every backend must pass, of both protocols.

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use gpu_hal::Result;
use gpu_runtime::GpuProtocol;

fn make<P: GpuProtocol>(options: Options) -> Result<Emulated<P>> {
    Emulated::new(NAME, EmulatedDevice::new(options)?)
}

fn interpreted<P: GpuProtocol>() -> Result<Emulated<P>> {
    make(Options::default())
}

mod goldilocks {
    use gpu_hal::GoldilocksStark;

    hal_conformance::goldilocks!(crate::conformance::interpreted::<GoldilocksStark>, "emulated");
}

/// Challenges from the base field.
mod goldilocks_base {
    use field::Goldilocks;
    use gpu_hal::GoldilocksStark;

    hal_conformance::goldilocks!(crate::conformance::interpreted::<GoldilocksStark<Goldilocks>>, "emulated");
}

mod circle {
    use gpu_hal::CircleStark;

    hal_conformance::circle!(crate::conformance::interpreted::<CircleStark>, "emulated");
}

/// Several as one; uploads are cut, so that operations meet blocks.
mod several {
    use backend_emulated::Emulated;
    use backend_placement::Sharded;
    use gpu_hal::{CircleStark, GoldilocksStark, Result};
    use gpu_runtime::GpuProtocol;

    fn make<P: GpuProtocol>(count: usize) -> Result<Sharded<Emulated<P>>> {
        let devices = (0..count).map(|_| crate::conformance::interpreted()).collect::<Result<_>>()?;
        Ok(Sharded::new(devices)?.with_least_rows(1).with_cut_uploads())
    }

    mod goldilocks {
        hal_conformance::goldilocks!(|| super::make::<super::GoldilocksStark>(4), "4 x emulated");
    }

    mod circle {
        hal_conformance::circle!(|| super::make::<super::CircleStark>(2), "2 x emulated");
    }
}

/// Some operations of the suite, on a backend that `make` makes.
macro_rules! operations {
    ($make:expr; $($operation:ident)+) => {
        $(
            #[test]
            fn $operation() {
                hal_conformance::run("emulated", $make, stringify!($operation));
            }
        )+
    };
}

/// Shared memory for the variants of kernels that take more than every device has.
mod large {
    use backend_emulated::Options;
    use gpu_hal::GoldilocksStark;

    operations!(|| crate::conformance::make::<GoldilocksStark>(Options { shared_bytes: 48 << 10, ..Options::default() }); ntt lde);
}

/// Every program by kernels of its own, the longest by several.
mod generated {
    use backend_emulated::Options;

    fn options() -> Options {
        Options { generated_operations: 4_000, ..Options::default() }
    }

    mod goldilocks {
        use gpu_hal::GoldilocksStark;

        operations!(|| crate::conformance::make::<GoldilocksStark>(super::options()); constraint_eval running map sum bind_sum prepare);
    }

    mod circle {
        use gpu_hal::CircleStark;

        operations!(|| crate::conformance::make::<CircleStark>(super::options()); constraint_eval running logup map sum bind_sum tree_map);
    }
}
