//! The suite that any backend must pass, on the reference: the fast backend, which shares no code with it, judges.

use backend_cpu::CpuOptions;
use backend_reference::CpuReference;
use field::Goldilocks;
use gpu_hal::erased::DeviceFrom;
use gpu_hal::{CircleStark, GoldilocksStark, Result};

mod goldilocks {
    use super::*;

    fn make() -> Result<CpuReference<GoldilocksStark>> {
        Ok(CpuReference::new())
    }

    hal_conformance::goldilocks!(make, "cpu-reference", reference = || GoldilocksStark::device(&CpuOptions::default()));
}

mod goldilocks_without_extension {
    use super::*;

    type Stark = GoldilocksStark<Goldilocks>;

    fn make() -> Result<CpuReference<Stark>> {
        Ok(CpuReference::new())
    }

    hal_conformance::goldilocks!(make, "cpu-reference", reference = || Stark::device(&CpuOptions::default()));
}

mod circle {
    use super::*;

    fn make() -> Result<CpuReference<CircleStark>> {
        Ok(CpuReference::new())
    }

    hal_conformance::circle!(make, "cpu-reference", reference = || CircleStark::device(&CpuOptions::default()));
}
