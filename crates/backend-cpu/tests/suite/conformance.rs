//! The suite that any backend must pass, on the fast backend.

use backend_cpu::{Compile, CpuOptions, SimdLevel};
use gpu_hal::Result;
use gpu_hal::erased::{Device, DeviceFrom};

pub(crate) fn make<P: DeviceFrom<CpuOptions>>(threads: usize, simd: Option<SimdLevel>) -> Result<Device<P>> {
    P::device(&CpuOptions { threads: Some(threads), simd, memory_limit: None, compile: Compile::Always })
}

mod goldilocks {
    hal_conformance::goldilocks!(|| super::make::<gpu_hal::GoldilocksStark>(2, None), "cpu");
}

mod goldilocks_portable {
    use backend_cpu::SimdLevel;

    hal_conformance::goldilocks!(|| super::make::<gpu_hal::GoldilocksStark>(1, Some(SimdLevel::Portable)), "cpu");
}

mod goldilocks_base {
    use field::Goldilocks;

    hal_conformance::goldilocks!(|| super::make::<gpu_hal::GoldilocksStark<Goldilocks>>(2, None), "cpu");
}

mod circle {
    hal_conformance::circle!(|| super::make::<gpu_hal::CircleStark>(2, None), "cpu");
}

mod circle_portable {
    use backend_cpu::SimdLevel;

    hal_conformance::circle!(|| super::make::<gpu_hal::CircleStark>(1, Some(SimdLevel::Portable)), "cpu");
}

/// The suite would compare the backend with itself.
#[test]
fn the_backend_does_not_depend_on_its_judge() {
    let manifest = include_str!("../../Cargo.toml");
    let (normal, tests) = manifest.split_once("[dev-dependencies]").expect("dependencies of tests come last");
    assert!(tests.contains("backend-reference") && !normal.contains("backend-reference"));
}
