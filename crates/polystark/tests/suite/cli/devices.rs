//! Devices that fail or compute wrongly: no proof comes out, and the device is blamed, not the statement.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::common::{json, words};
use polystark::backend_reference::CpuReference;
use polystark::goldilocks::{Proven, Request};
use polystark::hal::{Call, ErrorKind, HalError, Hook, Hooked, Operation, Outcome, Result, StarkBackend};
use polystark::{Airs, Class, Error, Goldilocks3, TraceSource};

/// What goes wrong in an operation.
#[derive(Clone, Copy)]
enum Trouble {
    Fails,
    FlipsABit,
}

struct Broken {
    operation: Operation,
    trouble: Trouble,
}

impl<B: StarkBackend<P = Goldilocks3>> Hook<B> for Broken {
    fn around<R>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        if call.operation != self.operation {
            return run();
        }
        if let Trouble::Fails = self.trouble {
            return Err(HalError::new(ErrorKind::DeviceLost, call.operation.name(), "unplugged"));
        }
        let mut result = run()?;
        match outcome(&mut result) {
            // The second request is that of the main columns.
            Outcome::Values(values) => values[1][0].swap(0, 1),
            Outcome::Digest(digest) => digest[0] ^= 1,
            Outcome::Opened(opened) => opened[0].paths[0][0][0] ^= 1,
            Outcome::Nonce(nonce) => *nonce = nonce.map(|nonce| nonce + 1),
            _ => unreachable!("the tests below break none of these"),
        }
        Ok(result)
    }
}

fn prove(operation: Operation, trouble: Trouble) -> std::result::Result<Proven, Error> {
    let backend = Hooked::with_hook(CpuReference::<Goldilocks3>::new(), Broken { operation, trouble });
    let mut request = Request::new("fibonacci-rap", 64);
    request.options.grinding = 12;
    if operation == Operation::UploadLde {
        request.trace = TraceSource::Upload;
    }
    polystark::prove(&Arc::new(backend), &Airs::default(), &request, &|_| ControlFlow::Continue(()))
}

#[test]
fn a_failing_device_is_named() {
    let of_the_trace = [Operation::UploadLde, Operation::Recurrence, Operation::Select];
    for operation in of_the_trace.into_iter().chain([Operation::Lde, Operation::Merkle, Operation::Open]) {
        let error = prove(operation, Trouble::Fails).unwrap_err();
        assert_eq!(error.class(), Class::Device, "{error}");
        assert!(error.to_string().contains("unplugged") && error.to_string().contains(operation.name()), "{error}");
    }
}

#[test]
fn a_device_that_computes_wrongly_gives_no_proof() {
    let error = prove(Operation::EvalAt, Trouble::FlipsABit).unwrap_err();
    assert!(matches!(error, Error::Miscomputed { .. }), "{error}");
    assert_eq!(error.class(), Class::Device);
    for operation in [Operation::Root, Operation::Open, Operation::Grind] {
        let error = prove(operation, Trouble::FlipsABit).unwrap_err();
        assert!(matches!(error, Error::SelfCheck { .. }), "{operation}: {error}");
        assert_eq!(error.class(), Class::Device);
    }
}

#[test]
fn a_device_is_chosen_by_its_number() {
    for protocol in ["goldilocks --air quadratic", "circle --air fibonacci"] {
        let line = format!("prove --json --protocol {protocol} --rows 16 --threads 1 -o /dev/null");
        for place in [&["--backend", "cpu:0"][..], &["--backend", "cpu", "--device", "0"]] {
            let ran = words(&line, place);
            assert_eq!((ran.code, &json(&ran)["backend"]), (0, &"cpu".into()), "{ran:?}");
        }
        for place in [&["--backend", "cpu:1"][..], &["--backend", "cpu-reference", "--device", "1"]] {
            let ran = words(&line, place);
            assert_eq!(ran.code, 3, "{ran:?}");
            assert!(ran.stderr.contains("there is no device 1"), "{ran:?}");
        }
        for place in [&["--backend", "cpu:0", "--device", "1"][..], &["--backend", "cpu:x"], &["--device", "-1"]] {
            let ran = words(&line, place);
            assert_eq!(ran.code, 2, "{ran:?}");
        }
    }
}
