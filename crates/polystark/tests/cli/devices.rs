//! Devices that fail or compute wrongly: no proof comes out, and the device is blamed, not the statement.

use std::sync::Arc;

use polystark::backend_reference::CpuReference;
use polystark::hal::{Call, ErrorKind, HalError, Hook, Hooked, Operation, Outcome, Result, StarkBackend};
use polystark::{Class, Error, Goldilocks3, Proven, Request, TraceSource, prove_air};

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
    fn around<T>(
        &self,
        _inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<T>,
        outcome: impl for<'t> FnOnce(&'t mut T) -> Outcome<'t, B>,
    ) -> Result<T> {
        if call.operation != self.operation {
            return run();
        }
        if let Trouble::Fails = self.trouble {
            return Err(HalError::new(ErrorKind::DeviceLost, call.operation.name(), "unplugged"));
        }
        let mut result = run()?;
        match outcome(&mut result) {
            Outcome::Values(values) => values[0].swap(0, 1),
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
    prove_air(&Arc::new(backend), &request)
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
