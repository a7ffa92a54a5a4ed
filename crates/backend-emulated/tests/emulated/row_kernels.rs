//! Row programs by kernels of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::wrapped::{Change, Wrapped};
use backend_emulated::{EmulatedDevice, NAME, Options};
use field::{Field, M31};
use gpu_hal::ir::{RowRecorder, Words};
use gpu_hal::{CircleStark, Result};
use gpu_runtime::{GpuBackend, KernelSource};
use hal_conformance::{HostTable, RowCase};

/// Counts the kernels, and changes a text in them.
struct Counted {
    kernels: Arc<AtomicU32>,
    change: Option<[&'static str; 2]>,
}

impl Change for Counted {
    fn source(&self, source: &KernelSource) -> KernelSource {
        let mut source = source.clone();
        if source.name.ends_with("row_program") {
            self.kernels.fetch_add(1, Ordering::Relaxed);
            let start = source.text.rfind("KERNEL_BOUNDED(run_rows").expect("generated text comes last");
            let (before, generated) = source.text.split_at(start);
            if let Some([from, to]) = self.change {
                source.text = format!("{before}{}", generated.replacen(from, to, 1));
            }
        }
        source
    }
}

type Backend = GpuBackend<Wrapped<Counted>, CircleStark>;

fn backend(change: Option<[&'static str; 2]>) -> (Backend, Arc<AtomicU32>) {
    let inner = EmulatedDevice::new(Options { generated_row_words: 100, ..Options::default() });
    let kernels = Arc::new(AtomicU32::new(0));
    let change = Counted { kernels: Arc::clone(&kernels), change };
    let wrapped = Wrapped { inner: inner.expect("a C++ compiler"), change };
    (GpuBackend::new(NAME, wrapped).expect("a backend"), kernels)
}

/// Adds 5 to the rows' numbers, for rows below `first`.
fn rows_below(first: u32, log_height: u32) -> RowCase<M31> {
    let recorder = RowRecorder::new(0);
    let row = recorder.row();
    recorder.columns(row + 5);
    recorder.assert("the row is early", row.less(recorder.word(first)));
    let program = recorder.finish().expect("a small program");
    RowCase { program, source: vec![], period: 1, tables: Vec::<HostTable<M31>>::new(), counters: vec![], log_height }
}

#[test]
fn the_first_fault_is_described() {
    let (backend, kernels) = backend(None);
    for first in [0, 3, 300, 1000] {
        let error = rows_below(first, 10).run(&backend).map(drop).expect_err("a late row");
        assert!(error.to_string().contains(&format!("row {first}: 'the row is early' does not hold")), "{error}");
    }
    assert_eq!(kernels.load(Ordering::Relaxed), 4);
    rows_below(1024, 10).run(&backend).map(drop).expect("no row is late");
}

/// Behind the rows that are compared with the interpreter's.
#[test]
fn the_least_number_that_is_too_large_is_a_fault() {
    let refused = |record: fn(&RowRecorder<M31>, Words<'_, M31>)| {
        let recorder = RowRecorder::new(0);
        recorder.counter();
        recorder.list(1, 1);
        record(&recorder, recorder.word(1) - recorder.row().less(recorder.word(300)));
        let program = recorder.finish().expect("a small program");
        let counters = vec![HostTable { elements: vec![M31::ZERO; 8], width: 1, log_height: 3 }];
        let case = RowCase { program, source: vec![], period: 1, tables: vec![], counters, log_height: 10 };
        let (backend, kernels) = backend(None);
        let error = case.run(&backend).map(drop).expect_err("a late row");
        assert_eq!(kernels.load(Ordering::Relaxed), 1);
        error.to_string()
    };
    let emitted = refused(|r, is_late| r.emit(0, 0, is_late * 0x7fff_ffff));
    assert!(emitted.contains("row 300: word 0 for site 0 of list 0 is 2147483647: no canonical element"), "{emitted}");
    let counted = refused(|r, is_late| {
        r.emit(0, 0, r.word(0));
        r.count(0, is_late << 3);
    });
    assert!(counted.contains("row 300: counts at place 8 of counter 0, which has 8"), "{counted}");
}

#[test]
fn a_kernel_that_is_wrong_is_not_used() {
    let run = |change| -> Result<()> { rows_below(1024, 10).run(&backend(change).0).map(drop) };
    run(None).expect("a kernel that is right");
    for change in [["0x5u", "0x6u"], [" < 0x400u", " < 0x3u"]] {
        let error = run(Some(change)).expect_err("a kernel that is wrong");
        assert!(error.to_string().contains("differs from the interpreter"), "{error}");
    }
}

/// The kernel of a program is compiled once, for any number of rows and any recording of it.
#[test]
fn programs_with_one_text_have_one_kernel() {
    let (backend, kernels) = backend(None);
    (8..12).for_each(|log_height| drop(rows_below(1 << 12, log_height).run(&backend).expect("no row is late")));
    assert_eq!(kernels.load(Ordering::Relaxed), 1);
}
