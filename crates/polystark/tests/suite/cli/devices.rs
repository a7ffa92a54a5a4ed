//! Devices that fail or compute wrongly: no proof comes out, and the device is blamed, not the statement.

use super::common::{Proved, json, text, words};
use polystark::backend_reference::CpuReference;
use polystark::goldilocks::lambdaworks;
use polystark::goldilocks::{Device, Proven, Request};
use polystark::hal::decorate::{Call, Hook, Hooked};
use polystark::hal::op::Outcome;
use polystark::hal::{ErrorKind, HalError, Operation, Result, StarkBackend};
use polystark::{Class, Error, Goldilocks3, TraceSource};

/// The trouble in an operation.
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
            return Err(HalError::new(ErrorKind::DeviceLost, call.operation, "unplugged"));
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
    request.options = lambdaworks::Options { grinding: 12, ..lambdaworks::Options::for_rows(64) }.into();
    if operation == Operation::UploadLde {
        request.trace = TraceSource::Upload;
    }
    Device::new(backend).prove(&request)
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

/// Several devices write the file of one, and so does the program on two parts of the processor.
#[test]
fn several_devices_write_the_file_of_one() {
    // Extended to 2^13 rows and more, which are cut in two.
    for statement in [
        "--protocol goldilocks --air fibonacci-rap --rows 4096 --queries 3 --grinding 1 --security claimed-0 --param steps=4000",
        "--protocol circle --air wide-fibonacci --rows 4096 --queries 3 --pow-bits 1 --security claimed-0",
    ] {
        let line = format!("prove --json --backend cpu --threads 2 {statement}");
        let one = Proved::new(&line);
        for devices in ["2", "1,0"] {
            let file = one.sibling(&[]);
            let ran = words(&line, &["--devices", devices, "-o", text(&file)]);
            assert_eq!((ran.code, &json(&ran)["backend"]), (0, &"2 x cpu".into()), "{ran:?}");
            assert!(std::fs::read(&file).unwrap() == one.bytes(), "{statement} on devices {devices}");
        }
    }
}

/// The file is that of a device with enough memory, and the cost is told.
#[test]
fn what_does_not_fit_goes_through_the_host() {
    for statement in [
        "--format lambdaworks --air fibonacci-rap --rows 4096 --queries 3 --grinding 1 --security claimed-0",
        "--protocol circle --air plonk --rows 4096 --queries 3 --pow-bits 1 --security claimed-0",
    ] {
        let line = format!("prove --json --backend cpu --threads 2 {statement}");
        let whole = Proved::new(&line);
        let file = whole.sibling(&[]);
        let ran = words(&line, &["--spill", "host:2^20", "-o", text(&file)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let view = json(&ran);
        let bytes = |name: &str| view[name].as_u64().unwrap();
        assert!(bytes("moved_bytes") > 1 << 20 && bytes("device_peak_bytes") <= 1 << 20, "{view}");
        assert!(std::fs::read(&file).unwrap() == whole.bytes(), "{statement}");
        // The limit is that of each device.
        let ran = words(&line, &["--devices", "2", "--spill", "host:2^20", "-o", text(&file)]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let view = json(&ran);
        let bytes = |name: &str| view[name].as_u64().unwrap();
        assert!(bytes("moved_bytes") > 1 << 20 && bytes("device_peak_bytes") <= 2 << 20, "{view}");
        assert!(std::fs::read(&file).unwrap() == whole.bytes(), "{statement} on two devices");
    }
    let line = "prove --air fibonacci-rap --rows 4096 --backend cpu -o /dev/null";
    let told = words(line, &["--spill", "host:2^20"]);
    assert!(told.code == 0 && told.stderr.contains("moved to the host's memory and back"), "{told:?}");
    for (place, code, says) in [
        (&["--spill", "host:4096"][..], 3, "at once, and the device has 4096 bytes"),
        (&["--spill", "disk"], 2, "is no place for tables"),
        (&["--spill", "host:4096", "--devices", "2", "--threads", "2"], 3, "device 0 of 2: it takes"),
        (&["--spill", "host", "--backend", "cpu-reference"], 2, "does not move tables to the host's memory"),
    ] {
        let line = line.replace(" --backend cpu", if place.contains(&"--backend") { "" } else { " --backend cpu" });
        let ran = words(&line, place);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.stderr.contains(says), "{says}: {ran:?}");
    }
}

#[test]
fn devices_that_cannot_prove_together_are_refused() {
    let line = "prove --air quadratic --rows 16 -o /dev/null --devices";
    for (devices, backend, code, says) in [
        ("0", "cpu", 2, "0 devices can't make a proof: take 1, 2, 4 or another power of two"),
        ("3", "cpu", 2, "3 devices can't make a proof together: take 1, 2, 4, 8 or another power of two"),
        ("0,1,0", "cpu", 2, "3 devices"),
        ("1,1", "cpu", 2, "device 1 is named twice"),
        ("0,", "cpu", 2, "is no number of a device"),
        ("2", "cpu:0", 2, "device 0 is asked for, and devices [0, 1] are"),
        ("2", "cpu-reference", 2, "backend `cpu-reference` makes a proof on one device"),
        ("4", "cpu", 3, "there is no device 0 of 4 in 2 threads"),
        ("0,2", "cpu", 3, "there is no device 2 of 2 in 2 threads"),
    ] {
        let threads: &[&str] = if backend == "cpu-reference" { &[] } else { &["--threads", "2"] };
        let ran = words(line, &[&[devices, "--backend", backend], threads].concat());
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.stderr.contains(says), "{says}: {ran:?}");
    }
}
