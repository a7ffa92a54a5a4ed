//! The memory of a client proof, planned.

use std::sync::Arc;

use backend_cpu::Cpu;
use client::{ClientProver, ClientRun};
use gpu_hal::CircleStark;

use crate::files;

const HUGE: u64 = 1 << 50;

#[test]
fn a_plan_is_of_the_larger_of_both_proofs() {
    let prover = ClientProver::new(Arc::new(Cpu::<CircleStark>::new())).unwrap();
    let plan = prover.plan(&ClientRun::new(&files::pie("fib")).unwrap()).unwrap();
    let (cairo, circuit) = (&plan.cairo.device, &plan.circuit);
    assert_eq!((plan.cairo.components.len(), cairo.log_domain, circuit.log_domain), (57, 23, 23));
    assert!(cairo.kept_bytes > 0 && circuit.kept_bytes > 0);
    // The preprocessed columns of the other proof stay on the device.
    for (one, other) in [(cairo, circuit), (circuit, cairo)] {
        assert!(plan.peak_bytes() >= one.peak_bytes.max(one.preparation_bytes) + other.kept_bytes);
    }
    let mut larger = plan.clone();
    larger.cairo.device.peak_bytes = HUGE;
    assert_eq!(larger.peak_bytes(), HUGE + circuit.kept_bytes);
    let mut larger = plan.clone();
    larger.circuit.peak_bytes = HUGE;
    assert_eq!(larger.peak_bytes(), HUGE + cairo.kept_bytes);
    let mut larger = plan.clone();
    larger.circuit.preparation_bytes = HUGE;
    assert_eq!(larger.peak_bytes(), HUGE + cairo.kept_bytes);
}
