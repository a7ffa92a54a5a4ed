//! Whole proofs of the Circle protocol on the emulator: byte for byte those of the reference.

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use golden::circle::{check, proofs};
use gpu_hal::CircleStark;

fn backend(options: Options) -> Emulated<CircleStark> {
    Emulated::<CircleStark>::new(NAME, EmulatedDevice::new(options).expect("a C++ compiler")).expect("a backend")
}

#[test]
fn golden_proofs() {
    let backend = backend(Options::default());
    let cases = proofs();
    assert_eq!(cases.len(), 16);
    cases.iter().for_each(|case| check(&backend, case));
}

#[test]
fn golden_proofs_by_generated_kernels_in_another_order_of_threads() {
    let backend = backend(Options { seed: 7, generated_operations: 4_000, ..Options::default() });
    let cases = proofs();
    // One of every AIR; compiling takes most of the time.
    for name in ["fibonacci", "plonk", "range-squares", "wide-fibonacci-w20"] {
        let case = cases.iter().find(|case| case.name.starts_with(name)).expect("a golden proof of every AIR");
        check(&backend, case);
    }
}
