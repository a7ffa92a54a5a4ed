//! A device that fails: at any call, the operation returns a typed error, keeps no memory, and works the next time.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::wrapped::{Change, Wrapped};
use backend_emulated::NAME;
use gpu_hal::{ErrorKind, ErrorSite, GoldilocksStark, HalError, Result, StarkBackend};
use gpu_runtime::GpuBackend;
use hal_conformance::session;

/// Fails one call, counted from the last reset.
struct FailOnce {
    calls: AtomicU64,
    at: AtomicU64,
    kind: ErrorKind,
}

impl FailOnce {
    fn reset(&self, at: u64) -> u64 {
        self.at.store(at, Ordering::SeqCst);
        self.calls.swap(0, Ordering::SeqCst)
    }
}

impl Change for FailOnce {
    fn before(&self, call: &'static str) -> Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if number == self.at.load(Ordering::SeqCst) {
            return Err(HalError::new(self.kind, call, "on purpose"));
        }
        Ok(())
    }
}

type Backend = GpuBackend<Wrapped<FailOnce>, GoldilocksStark>;

fn backend(kind: ErrorKind) -> Backend {
    let change = FailOnce { calls: AtomicU64::new(0), at: AtomicU64::new(u64::MAX), kind };
    let inner = backend_emulated::device().expect("a C++ compiler");
    Backend::new(NAME, Wrapped { inner, change }).expect("a backend")
}

/// The results of all operations, with every allocation made anew.
fn words(backend: &Backend) -> Result<Vec<u64>> {
    backend.trim();
    Ok(session(backend, 9, 3)?.words)
}

fn in_use(backend: &Backend) -> u64 {
    backend.memory().expect("counted").in_use
}

#[test]
fn every_call_may_fail() {
    for kind in [ErrorKind::DeviceLost, ErrorKind::OutOfMemory] {
        let backend = backend(kind);
        let right = words(&backend).expect("no fault yet");
        let idle = in_use(&backend);
        let change = &backend.device().change;
        change.reset(u64::MAX);
        assert_eq!(words(&backend).expect("no fault yet"), right);
        let calls = change.reset(u64::MAX);
        assert!(calls > 50, "a session makes many calls, not {calls}");
        for at in 0..calls {
            change.reset(at);
            match words(&backend) {
                Err(error) => {
                    assert_eq!(error.kind, kind, "call {at}: {error}");
                    let is_operation = matches!(error.op, ErrorSite::Operation(_));
                    assert!(is_operation, "call {at}: the error names '{}', not an operation", error.op);
                }
                // Memory was found after memory kept for reuse had been given back.
                Ok(words) => assert!(kind == ErrorKind::OutOfMemory && words == right, "call {at} did not fail"),
            }
            assert_eq!(in_use(&backend), idle, "call {at} leaves memory behind");
            if at % 8 == 0 {
                change.reset(u64::MAX);
                assert_eq!(words(&backend).expect("the device is well again"), right, "after call {at}");
            }
        }
    }
}
