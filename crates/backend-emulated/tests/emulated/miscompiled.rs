//! A compiler that translates a generated kernel wrongly is found before the kernel is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::wrapped::{Change, Wrapped};
use backend_emulated::{EmulatedDevice, NAME, Options};
use backend_reference::{CpuReference, ReferenceProtocol};
use gpu_hal::decorate::Dual;
use gpu_hal::{CircleStark, GoldilocksStark, Operation};
use gpu_runtime::{GpuBackend, GpuProtocol, KernelSource};
use hal_conformance::{TestProtocol, session};

/// In generated kernels the `number`th line that calls `from` calls `to` instead.
struct Miscompiled {
    from: &'static str,
    to: &'static str,
    changed: Arc<AtomicU32>,
}

impl Change for Miscompiled {
    fn source(&self, source: &KernelSource) -> KernelSource {
        let mut source = source.clone();
        // Generated text comes last.
        if let Some(start) = source.text.rfind("KERNEL_BOUNDED(evaluate_").filter(|_| source.name.ends_with("program"))
        {
            let (before, generated) = source.text.split_at(start);
            if generated.contains(self.from) {
                self.changed.fetch_add(1, Ordering::Relaxed);
                source.text = format!("{before}{}", generated.replacen(self.from, self.to, 1));
            }
        }
        source
    }
}

/// The result of a wrong kernel is compared with the reference, too: it may pass only if nothing reads the wrong value.
fn run<P: GpuProtocol + TestProtocol + ReferenceProtocol>(from: &'static str, to: &'static str) {
    let options = Options { generated_operations: 4_000, ..Options::default() };
    let inner = EmulatedDevice::new(options).expect("a C++ compiler");
    let changed = Arc::new(AtomicU32::new(0));
    let change = Miscompiled { from, to, changed: changed.clone() };
    let backend = GpuBackend::<_, P>::new(NAME, Wrapped { inner, change }).expect("a backend");
    let result = session(&Dual::new(backend, CpuReference::<P>::new()), 1, 4);
    assert!(changed.load(Ordering::Relaxed) > 0, "no generated kernel has '{from}'");
    let error = result.err().expect("a kernel that is wrong");
    assert!(error.to_string().contains("differs from the interpreter"), "{error}");
    let of_programs = [Operation::ConstraintEval, Operation::Map, Operation::Running, Operation::TreeMap];
    assert!(of_programs.iter().any(|op| error.op == (*op).into()), "{error}");
}

#[test]
fn a_wrong_operation() {
    run::<GoldilocksStark>("base_add(", "base_sub(");
    run::<CircleStark>("base_mul(", "base_add(");
}

#[test]
fn a_wrong_column_and_a_wrong_row() {
    run::<GoldilocksStark>("COLUMN_START(p.column[0])", "COLUMN_START(p.column[1])");
    run::<CircleStark>("_0]", "_0 ^ 1]");
}
